"""Kinds of arrays that are passed between parts, by name.

A field that is declared with `parameter` holds a float64 array. Who builds the part may give `Numbers` for it; the
rules of the type checker say so wherever a part is built, and functions that take as much say it in their annotation.
"""

from collections.abc import Sequence
from typing import TypeAlias

from jax.typing import ArrayLike

Row: TypeAlias = ArrayLike | Sequence[ArrayLike]
Numbers: TypeAlias = (
    Row | Sequence[Row] | Sequence[Sequence[Row]]
)  # an array, a number, or nested lists of them
# (not by recursion: a text is a sequence of texts, and would be let pass)
