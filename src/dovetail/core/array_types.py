"""Types of arrays that are passed between parts.

A field declared with `parameter` has the type `Parameter`: it holds a float64 array, and the constructor also accepts
`Numbers` for it. Functions that accept the same say so in their annotation.
"""

from collections.abc import Sequence
from typing import TypeAlias

from jax.typing import ArrayLike

Row: TypeAlias = ArrayLike | Sequence[ArrayLike]
# an array, a number, or nested lists of them; not recursive, because a string is a sequence of strings and would match
Numbers: TypeAlias = Row | Sequence[Row] | Sequence[Sequence[Row]]
