"""What a page is written on: a recording, and what is known of how it came about."""

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
    """A run; or a recording of which less is known than of a run."""

    data: xr.Dataset
    title: str = ""
    mode: str = ""
    outcome: Outcome | None = None
    trip: Trip | None = None
    test: Any = None  # Runnable, or nothing known of it
    given: Mapping[str, Any] | None = None  # the test as a table, where nothing else is known of it

    @classmethod
    def of(cls, run: Run | Reported | xr.Dataset) -> Reported:
        """Of a run, or of a bare recording.

        Raises
        ------
        ParameterError
            If it is neither.
        """
        if isinstance(run, Reported):
            return run
        if not isinstance(run, Run):
            return cls(fidelity.traces.dataset(run))
        return cls(run.data, run.title, run.mode, run.outcome, run.trip, run.test)

    def table(self) -> Mapping[str, Any]:
        """Every parameter of the test, nested; empty where nothing is known of it."""
        if self.given is not None or self.test is None:
            return self.given or {}
        from dovetail.testing import dump

        return dump(self.test)
