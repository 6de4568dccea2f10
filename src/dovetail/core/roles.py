"""Optional roles of a system: small protocols, tested by `isinstance`.

A class has a role if it defines the members of the protocol; inheritance is not needed. Code that runs, reports or
records a system checks for the role. The documentation lists all interfaces on one page (*Interfaces*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from dovetail.core.block import Method
from dovetail.core.errors import Fault
from dovetail.core.recording import Recording

if TYPE_CHECKING:
    import xarray as xr


@runtime_checkable
class Checked(Protocol):
    """System that checks itself as a whole."""

    def faults(self, method: Method, step: float) -> list[Fault]:
        """Return the faults for integration by a method with a step [s]."""


@runtime_checkable
class Prescribed(Protocol):
    """System with tables over time that may end before a run."""

    def time_faults(self, duration: float) -> list[Fault]:
        """Return a fault for each table that ends before a duration [s]."""


@runtime_checkable
class Adapting(Protocol):
    """System that changes its structure during a run, for example its number of elements."""

    def adapt(self, x: Any) -> tuple[Any, Any]:
        """Return the system and the state to continue with; unchanged if no change is due."""


@runtime_checkable
class Implicit(Protocol):
    """System with its own solver for the linear equations of an implicit method.

    `held` names the entries of the state that only `jump` changes; a method does not integrate them.
    """

    held: Sequence[str]

    def scales(self) -> dict[str, Any]:
        """Return the scales of the error of a step, for each integrated entry of the state."""

    def time_rate(self, t: Any, x: Any) -> dict[str, Any]:
        """Return the partial derivative of the rates by time, as far as it matters."""

    def shifted_solver(self, t: Any, x: Any, g: Any) -> Callable[[Any], Any]:
        """Return a function that solves (1 - g J) k = b for k; J is the Jacobian at (t, x)."""


@runtime_checkable
class Measuring(Protocol):
    """System that computes results from a run."""

    def measures(self, data: xr.Dataset) -> dict[str, str]:
        """Return names and values as text, for the command line and the report."""


def measured_values(system: object, recording: Recording) -> dict[str, str]:
    """Return the results of a run, if the system computes any."""
    return system.measures(recording.to_dataset()) if isinstance(system, Measuring) else {}


@runtime_checkable
class Captioned(Protocol):
    """System that selects its main signals for reports and captions them."""

    FIRST: Sequence[str]
    CAPTIONS: Mapping[str, str]


@runtime_checkable
class NamesLines(Protocol):
    """System with several variants in one run, each with a name for legends."""

    @property
    def lines(self) -> list[str]:
        """A name for each variant."""


@runtime_checkable
class NamesDimensions(Protocol):
    """System that names the dimensions of signals in a recording, if they are not interface axes."""

    DIMS: Mapping[str, tuple[str, ...]]
