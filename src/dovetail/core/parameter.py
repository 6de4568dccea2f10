"""Parameters: the fields of a part, declared once with unit, meaning and range.

The declaration serves everyone who meets the field: the constructor checks the range, a test file is
validated and converted by it, the documentation prints it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError, shown

_KEY, _FILE = "dovetail", "dovetail.file"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """What is known about a field: its SI unit (`"1"` for none), meaning and range."""

    unit: str
    about: str
    above: float = -math.inf  # exclusive
    below: float = math.inf  # exclusive
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()
    finite: bool = False

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, in words; None if nothing is."""
        if self.choices:
            known = isinstance(value, str) and value in self.choices
            return None if known else f"got {shown(value)}; one of {', '.join(self.choices)}"
        array = np.asarray(value, dtype=float)
        if np.isnan(array).any():
            return f"got {_show(array)}; not a number"
        if self.finite and not np.isfinite(array).all():
            return f"got {_show(array)}; needs a finite number"
        ok = (array >= self.at_least) & (array <= self.at_most)
        ok &= (array > self.above) | (self.above == -math.inf)
        ok &= (array < self.below) | (self.below == math.inf)
        return None if np.all(ok) else f"got {_show(array)}; {self.range_text}"

    @property
    def allowed(self) -> str:
        """What it may be, in words: its choices, or its range without the unit; empty where anything goes."""
        return ", ".join(self.choices) if self.choices else self._range

    @property
    def range_text(self) -> str:
        """The range in words, with the unit."""
        return f"must be {self._range}" + (
            f" {self.unit}" if self.unit not in ("1", "signal", "parameter") else ""
        )

    @property
    def _range(self) -> str:
        low = f"above {self.above:g}" if self.above > -math.inf else ""
        low = f"at least {self.at_least:g}" if self.at_least > -math.inf else low
        high = f"below {self.below:g}" if self.below < math.inf else ""
        high = f"at most {self.at_most:g}" if self.at_most < math.inf else high
        return " and ".join(w for w in (low, high) if w)


def _show(array: np.ndarray) -> str:
    return f"{array:g}" if array.ndim == 0 else np.array2string(array, threshold=6)


def _as_array(value: Any) -> Any:
    if value is None or isinstance(value, jax.core.Tracer):  # None: an effect that is left out at build
        return value
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))  # a list may hold one
    if (
        not isinstance(value, jax.Array) and not traced
    ):  # converted by NumPy: JAX would compile a program for each shape
        value = np.asarray(value, dtype=float)
    return jnp.asarray(value, dtype=float)


def parameter(
    unit: str = "1",
    about: str = "",
    *,
    default: Any = dataclasses.MISSING,
    above: float = -math.inf,
    below: float = math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    kw_only: bool = False,
) -> Any:
    """A numeric field: a float64 array of any shape, traced, differentiable, batchable.

    One without a default that follows others with theirs, in a class that extends another, is `kw_only`.

    >>> class Spring(eqx.Module):
    ...     k: jax.Array = parameter("N/m", "stiffness", above=0.0)
    """
    about_it = Parameter(unit, about, above, below, at_least, at_most)
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(converter=_as_array, metadata={_KEY: about_it}, kw_only=kw_only, **extra)


def choice(*choices: str, about: str = "", default: Any = dataclasses.MISSING) -> Any:
    """A static field that takes one of a few words."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(static=True, metadata={_KEY: Parameter("1", about, choices=choices)}, **extra)


def count(about: str = "", *, default: Any = dataclasses.MISSING, at_least: int = 0) -> Any:
    """A static whole number: it fixes a shape, so changing it compiles anew."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(
        static=True, metadata={_KEY: Parameter("1", about, at_least=at_least, finite=True)}, **extra
    )


def constant(
    unit: str = "1", about: str = "", *, default: Any = dataclasses.MISSING, above: float = -math.inf
) -> Any:
    """A static number with a unit: it is compiled in, so changing it compiles anew."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(
        static=True,
        converter=float,
        metadata={_KEY: Parameter(unit, about, above=above, finite=True)},
        **extra,
    )


def asked(unit: str = "1", about: str = "", *, above: float = -math.inf) -> Any:
    """A static number with a unit that may be left unsaid: then it is None, and nothing is asked."""
    return eqx.field(
        static=True,
        default=None,
        converter=lambda value: None if value is None else float(value),
        metadata={_KEY: Parameter(unit, about, above=above, finite=True)},
    )


def file_name(*, default: Any = dataclasses.MISSING) -> Any:
    """The name of a file that a part reads; in a test file, from the folder of that file."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(static=True, metadata={_FILE: True}, **extra)


def file_names(cls: type) -> list[str]:
    """The fields of a class that name a file."""
    return [f.name for f in dataclasses.fields(cls) if _FILE in f.metadata]


def declared(cls: type) -> dict[str, Parameter]:
    """The declared parameters of a class, by field name."""
    return {f.name: f.metadata[_KEY] for f in dataclasses.fields(cls) if _KEY in f.metadata}


def check(part: Any) -> None:
    """Raise `ParameterError` if a concrete field is outside its declared range."""
    for name, about in declared(type(part)).items():
        value = getattr(part, name)
        if value is None or not known(value):
            continue
        fault = about.fault(value)
        if fault:
            raise ParameterError(f"{type(part).__name__}.{name}: {fault}")


def known(*values: Any) -> bool:
    """True if every value is there to be looked at.

    False for a traced value, and for the placeholders that JAX puts into a tree while it rebuilds it:
    a check of a part's fields passes them over.
    """
    return all(
        isinstance(v, str | int | float | jax.Array | np.ndarray) and not isinstance(v, jax.core.Tracer)
        for v in values
    )


def arrived(*values: Any) -> bool:
    """True if every value is an array or a traced one, so that its shape can be looked at.

    False for the placeholders that JAX puts into a tree while it rebuilds it. Where the numbers matter
    too, ask `known`.
    """
    return all(isinstance(v, jax.Array) for v in values)
