"""Roles that a system may play beside its equations: small protocols, asked for by `isinstance`.

A class plays a role by having its members; it need not inherit it. Whoever runs, reports or records a system asks for
the role, and does without where it is not played. All interfaces of Dovetail are on one page of the documentation
(*Interfaces*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from dovetail.core.block import Method
from dovetail.core.errors import Fault

if TYPE_CHECKING:
    import xarray as xr


@runtime_checkable
class Checked(Protocol):
    """Finds what is wrong with it as a whole."""

    def faults(self, method: Method, step: float) -> list[Fault]:
        """What is wrong when it is integrated by a method in steps [s]."""


@runtime_checkable
class Prescribed(Protocol):
    """Follows tables that may end before a run does."""

    def time_faults(self, duration: float) -> list[Fault]:
        """What of it ends before a duration [s]."""


@runtime_checkable
class Adapting(Protocol):
    """Changes its own form while it runs, as with the number of its elements."""

    def adapted(self, x: Any) -> tuple[Any, Any]:
        """The system and its state from here on; itself where nothing changes."""


@runtime_checkable
class Implicit(Protocol):
    """Solves what an implicit method asks of it, in its own way."""

    def shifted(self, t: Any, x: Any, g: Any) -> Callable[[Any], Any]:
        """A function that solves (1 - g J) k = b, with J the slope of its equation at (t, x)."""


@runtime_checkable
class Measuring(Protocol):
    """Says what a run of it showed."""

    def measures(self, data: xr.Dataset) -> dict[str, str]:
        """Names and values in words, for the command line and the report."""


def measured(system: object, data: xr.Dataset) -> dict[str, str]:
    """What a run of a system showed; nothing where it does not say."""
    return system.measures(data) if isinstance(system, Measuring) else {}


@runtime_checkable
class Captioned(Protocol):
    """Says which of its signals a report shows first, and what a general name means for it."""

    FIRST: Sequence[str]
    CAPTIONS: Mapping[str, str]


@runtime_checkable
class NamesLines(Protocol):
    """Several alternatives at once, each with a name for legends."""

    @property
    def lines(self) -> list[str]:
        """A name for each."""


@runtime_checkable
class NamesDimensions(Protocol):
    """Says by what the values of a signal are counted in a recording, where it is not by axis."""

    DIMS: Mapping[str, tuple[str, ...]]
