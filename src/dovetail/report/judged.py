"""A run as a report sees it: its recording, the ideal, what was said of its stability, all judged once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from dovetail import fidelity
from dovetail.core import signals
from dovetail.core.errors import DovetailError
from dovetail.report import verdict as verdicts
from dovetail.report.figures import LimitUse
from dovetail.report.page_subject import Reported
from dovetail.report.verdict import Margins
from dovetail.testing.assessment import Stability
from dovetail.testing.recorder import largest_of
from dovetail.testing.run import Run

LIMITS = {  # name of a limit in a test: the signals it bounds, the first that is recorded
    "displacement": ("displacement",),
    "velocity": ("velocity",),
    "force": ("measured_force", "force"),
    "tracking": ("tracking_error",),
    "tracking_error": ("tracking_error",),
    "growth": ("growth_rate",),
}
DUST = 1e-9  # of the largest motion: what moves less does not move


@dataclass(frozen=True)
class RunView:
    """A run and what belongs to it on a page.

    Runs may be bare recordings. `curve` is delay [s] and the growth rate [1/s] there.
    """

    run: Run | Reported | xr.Dataset
    ideal: Run | Reported | xr.Dataset | None = None
    stability: Stability | Margins | None = None
    label: str = ""
    curve: tuple[Sequence[float], Sequence[float]] | None = None
    limits: Sequence[LimitUse] | None = None
    why: str = ""  # nothing is said of its stability


class Judged:
    """A view with everything the sections need worked out once."""

    def __init__(self, view: RunView):
        self.view, self.run = view, Reported.of(view.run)
        self.notes: list[str] = []
        self.data = self._finite(self.run.data)
        ideal = None if view.ideal is None else Reported.of(view.ideal)
        self.ideal = None if ideal is None else ideal.data
        self.ideal_end = None if ideal is None else ideal.outcome
        margins = Margins.of(view.stability)
        self.margins = replace(margins, why=view.why or "; ".join(margins.remarks))
        self.title = self.run.title or "Hybrid test"
        self.label = view.label or self.run.title or "run"
        self.mode = self.run.mode or "run"
        self.outcome, self.trip, self.tested = self.run.outcome, self.run.trip, self.run.test
        self.accept = None if self.tested is None else self.tested.accept
        self.test = self.run.table()
        self.comparison = self._compared()
        if self.rigless:
            self.verdict = verdicts.of_ideal(self.outcome, self.trip)
        else:
            self.verdict = verdicts.verdict(self.margins, self.outcome, self.comparison, self.trip)

    @property
    def rigless(self) -> bool:
        """Whether this is the ideal itself: what is said of delays is of the test on its rig, not of this run."""
        return self.mode == "emulate"

    def _finite(self, data: xr.Dataset) -> xr.Dataset:
        """The leading part whose main signals are finite: a run that blew up is shown up to there."""
        good = np.ones(data.sizes["time"], dtype=bool)
        for name in ("displacement", "measured_displacement", "force"):
            if name in data:
                values = data[name].transpose("time", ...).values.reshape(len(good), -1)
                good &= np.isfinite(values).all(axis=1)
        if good.all():
            return data
        count = int(np.argmin(good))
        self.notes.append(
            f"From t = {float(data.time[count]):.4g} s on a signal is no longer a finite number; "
            "figures and errors are of the part before."
        )
        return data.isel(time=slice(0, count))

    def _compared(self) -> fidelity.Comparison | None:
        if self.ideal is None:
            return None
        frequency = self.margins.pole_frequency or self.margins.frequency
        try:
            return fidelity.compare(self.data, self.ideal, frequency=frequency or None)
        except (DovetailError, KeyError) as error:
            self.notes.append(f"The run cannot be compared with the ideal: {error}.")
            return None

    def moving(self) -> list[int]:
        """Axes that move by more than the rounding of the one that moves most: all there is to look at."""
        count = len(self.axis_names())
        if "displacement" not in self.data or not self.data.sizes["time"]:
            return list(range(count))
        reach = np.abs(self.data["displacement"].values.reshape(self.data.sizes["time"], -1)).max(axis=0)
        return [i for i in range(count) if reach[i] > DUST * reach.max()] or [0]

    def still(self) -> list[str]:
        """Names of the axes that do not move."""
        names, moving = self.axis_names(), self.moving()
        return [name for i, name in enumerate(names) if i not in moving]

    def axis_names(self) -> list[str]:
        """Names of the interface's axes; one empty name for a single axis."""
        shape = self.data["displacement"].shape[1:] if "displacement" in self.data else ()
        if not shape:
            return [""]
        if "axis" in self.data.coords:
            return [str(name) for name in self.data["axis"].values]
        return [str(i + 1) for i in range(int(np.prod(shape)))]


def limit_uses(view: Judged) -> list[LimitUse]:
    """How close the limits that the test names came, where their signals were recorded."""
    limits, data, uses = view.test.get("limits"), view.data, []
    for name, limit in limits.items() if isinstance(limits, Mapping) else ():
        if name not in LIMITS or isinstance(limit, str):
            continue
        bound = float(np.min(np.asarray(limit, dtype=float)))
        most = largest_of(data, LIMITS[name])
        if most is None and "tracking_error" in LIMITS[name] and "measured_displacement" in data:
            most = float(abs(data["displacement"] - data["measured_displacement"]).max())
        if most is not None:
            unit = signals.signal(LIMITS[name][0]).unit
            uses.append(LimitUse(name.replace("_", " "), most, bound, unit))
    return uses
