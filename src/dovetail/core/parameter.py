"""Parameters: fields of a part, declared once with unit, meaning and range.

The declaration is used by the constructor, which checks the range; by the reader of test files, which validates and
converts values; and by the documentation.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.array_types import Numbers
from dovetail.core.errors import ParameterError, format_value

Held = TypeVar("Held")
Given = TypeVar("Given")

if TYPE_CHECKING:

    class Converted(Generic[Held, Given]):
        """Type of a field that holds `Held`; a constructor also accepts `Given` and converts it."""

        @overload
        def __get__(self, part: None, owner: type) -> Converted[Held, Given]: ...
        @overload
        def __get__(self, part: object, owner: type) -> Held: ...
        def __get__(self, part: object, owner: type) -> Any: ...
        def __set__(self, part: object, value: Given) -> None: ...
else:

    class Converted:
        """Type of a field that holds the first type; a constructor also accepts the second and converts it."""

        def __class_getitem__(cls, types: tuple[Any, Any]) -> Any:
            return types[0]


Parameter: TypeAlias = Converted[jax.Array, Numbers]
OptionalParameter: TypeAlias = Converted[jax.Array | None, Numbers | None]
_KEY, _FILE = "dovetail", "dovetail.file"


@dataclasses.dataclass(frozen=True)
class ParameterDeclaration:
    """Declaration of a field: SI unit (`"1"` for none), meaning and range."""

    unit: str
    about: str
    above: float = -math.inf  # exclusive
    below: float = math.inf  # exclusive
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()
    finite: bool = False

    def fault(self, value: Any) -> str | None:
        """Return the text of the fault of a value; None if it is valid."""
        if self.choices:
            valid = isinstance(value, str) and value in self.choices
            return None if valid else f"got {format_value(value)}; one of {', '.join(self.choices)}"
        array = np.asarray(value, dtype=float)
        if np.isnan(array).any():
            return f"got {_format_array(array)}; not a number"
        if self.finite and not np.isfinite(array).all():
            return f"got {_format_array(array)}; needs a finite number"
        ok = (array >= self.at_least) & (array <= self.at_most)
        ok &= (array > self.above) | (self.above == -math.inf)
        ok &= (array < self.below) | (self.below == math.inf)
        return None if np.all(ok) else f"got {_format_array(array)}; {self.range_text}"

    @property
    def allowed(self) -> str:
        """Allowed values as text: the choices, or the range without unit; empty if there is no bound."""
        return ", ".join(self.choices) if self.choices else self._range

    @property
    def range_text(self) -> str:
        """The range as text, with the unit."""
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


def _format_array(array: np.ndarray) -> str:
    return f"{array:g}" if array.ndim == 0 else np.array2string(array, threshold=6)


def _as_array(value: Any) -> Any:
    if value is None or isinstance(value, jax.core.Tracer):  # None: an effect that is switched off
        return value
    traced = any(
        isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value)
    )  # a list may contain one
    if not isinstance(value, jax.Array) and not traced:  # NumPy: JAX would compile a program for each shape
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
    finite: bool | None = None,
    kw_only: bool = False,
) -> Any:
    """Declare a numeric field: a float64 array of any shape, traced, differentiable and batchable.

    Infinite values are refused, unless `finite=False` or the default is infinite: a limit that is switched off. In a
    subclass, a field without default after fields with defaults needs `kw_only=True`.

    >>> class Spring(eqx.Module):
    ...     k: Parameter = parameter("N/m", "stiffness", above=0.0)
    """
    extra = {} if default is dataclasses.MISSING else {"default": default}
    if finite is None:
        numbers = np.asarray(extra.get("default") if extra.get("default") is not None else 0.0, dtype=float)
        finite = bool(np.isfinite(numbers).all())
    declaration = ParameterDeclaration(unit, about, above, below, at_least, at_most, finite=finite)
    return eqx.field(converter=_as_array, metadata={_KEY: declaration}, kw_only=kw_only, **extra)


def choice(*choices: str, about: str = "", default: Any = dataclasses.MISSING) -> Any:
    """Declare a static field with one of several words as value."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(static=True, metadata={_KEY: ParameterDeclaration("1", about, choices=choices)}, **extra)


def count(about: str = "", *, default: Any = dataclasses.MISSING, at_least: int = 0) -> Any:
    """Declare a static integer: it fixes a shape, so a change causes a new compilation."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(
        static=True,
        metadata={_KEY: ParameterDeclaration("1", about, at_least=at_least, finite=True)},
        **extra,
    )


def constant(
    unit: str = "1", about: str = "", *, default: Any = dataclasses.MISSING, above: float = -math.inf
) -> Any:
    """Declare a static number with a unit: a constant of the program, so a change causes a new compilation."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(
        static=True,
        converter=float,
        metadata={_KEY: ParameterDeclaration(unit, about, above=above, finite=True)},
        **extra,
    )


def optional_parameter(unit: str = "1", about: str = "", *, above: float = -math.inf) -> Any:
    """Declare a static number with a unit that may be omitted; it is then None."""
    return eqx.field(
        static=True,
        default=None,
        converter=lambda value: None if value is None else float(value),
        metadata={_KEY: ParameterDeclaration(unit, about, above=above, finite=True)},
    )


def file_name(*, default: Any = dataclasses.MISSING) -> Any:
    """Declare the name of a file that a part reads; relative to the folder of the test file."""
    extra = {} if default is dataclasses.MISSING else {"default": default}
    return eqx.field(static=True, metadata={_FILE: True}, **extra)


def file_names(cls: type) -> list[str]:
    """Return the names of the fields declared with `file_name`."""
    return [f.name for f in dataclasses.fields(cls) if _FILE in f.metadata]


def declared_parameters(cls: type) -> dict[str, ParameterDeclaration]:
    """Return the declared parameters of a class, by field name."""
    return {f.name: f.metadata[_KEY] for f in dataclasses.fields(cls) if _KEY in f.metadata}


def check(part: Any) -> None:
    """Raise `ParameterError` if a concrete field is outside its declared range."""
    for name, about in declared_parameters(type(part)).items():
        value = getattr(part, name)
        if value is None or not all_concrete(value):
            continue
        fault = about.fault(value)
        if fault:
            raise ParameterError(f"{type(part).__name__}.{name}: {fault}")


def all_concrete(*values: Any) -> bool:
    """Return whether all values are concrete.

    False for traced values, and for the placeholders that JAX puts into a tree while it rebuilds it; checks of
    fields skip both.
    """
    return all(
        isinstance(v, str | int | float | jax.Array | np.ndarray) and not isinstance(v, jax.core.Tracer)
        for v in values
    )


def all_arrays(*values: Any) -> bool:
    """Return whether all values are arrays, concrete or traced, so that their shapes are defined.

    False for the placeholders that JAX puts into a tree while it rebuilds it. If the numbers are needed too, use
    `all_concrete`.
    """
    return all(isinstance(v, jax.Array) for v in values)
