"""Subject of a report page: a recording with its test, mode and outcome, as far as available."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.core.recording import Recording
from dovetail.fidelity.traces import Recorded, recording
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.run import Run

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Reported:
    """A run, or a recording with incomplete metadata."""

    recording: Recording
    title: str = ""
    mode: str = ""
    outcome: Outcome | None = None
    trip: Trip | None = None
    test: Any = None  # a `Test`; None if not known
    given: Mapping[str, Any] | None = None  # the test as a table, if `test` is not known

    def __post_init__(self) -> None:
        """Convert a dataset to a recording."""
        object.__setattr__(self, "recording", recording(self.recording))

    @functools.cached_property
    def data(self) -> xr.Dataset:
        """Recording as an xarray dataset, made at first use."""
        return self.recording.to_dataset()

    @classmethod
    def from_run(cls, run: Run | Reported | Recorded) -> Reported:
        """Convert a run or a recording.

        Raises
        ------
        ParameterError
            If `run` is neither a run nor a recording.
        """
        if isinstance(run, Reported):
            return run
        if not isinstance(run, Run):
            return cls(run)  # type: ignore[arg-type]  # converted
        return cls(run.recording, run.title, run.mode, run.outcome, run.trip, run.test)

    def table(self) -> Mapping[str, Any]:
        """Return all parameters of the test as a nested table; empty if the test is not known."""
        if self.given is not None or self.test is None:
            return self.given or {}
        from dovetail.testing import dump

        return dump(self.test)
