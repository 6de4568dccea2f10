"""Subject of a report page: a recording with its test, mode and outcome, as far as available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import xarray as xr

from dovetail import fidelity
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.run import Run


@dataclass(frozen=True)
class Reported:
    """A run, or a recording with incomplete metadata."""

    data: xr.Dataset
    title: str = ""
    mode: str = ""
    outcome: Outcome | None = None
    trip: Trip | None = None
    test: Any = None  # a `Test`; None if not known
    given: Mapping[str, Any] | None = None  # the test as a table, if `test` is not known

    @classmethod
    def from_run(cls, run: Run | Reported | xr.Dataset) -> Reported:
        """Convert a run or a recording.

        Raises
        ------
        ParameterError
            If `run` is neither a run nor a recording.
        """
        if isinstance(run, Reported):
            return run
        if not isinstance(run, Run):
            return cls(fidelity.traces.dataset(run))
        return cls(run.data, run.title, run.mode, run.outcome, run.trip, run.test)

    def table(self) -> Mapping[str, Any]:
        """Return all parameters of the test as a nested table; empty if the test is not known."""
        if self.given is not None or self.test is None:
            return self.given or {}
        from dovetail.testing import dump

        return dump(self.test)
