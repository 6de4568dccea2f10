"""Run data of a report: recording, reference, stability and comparison, evaluated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dovetail import fidelity
from dovetail.core import signals
from dovetail.core.errors import DovetailError, value_or_none
from dovetail.core.recording import Recording
from dovetail.fidelity.acceptance import evaluate_criteria
from dovetail.fidelity.impacts import ImpactEvent, contact_energy
from dovetail.fidelity.traces import Recorded
from dovetail.report import verdict as verdicts
from dovetail.report.figures import LimitUse
from dovetail.report.page_subject import Reported
from dovetail.report.verdict import Margins
from dovetail.testing.modes import mode_named
from dovetail.testing.recorder import largest_of
from dovetail.testing.run import Run
from dovetail.testing.stability_at_rest import LoopStability

LIMITS = {  # limit of a test: its signals, of which the first recorded one is used
    "displacement": ("displacement",),
    "velocity": ("velocity",),
    "force": ("measured_force", "feedback_force"),
    "tracking_error": ("tracking_error",),
    "growth_rate": ("growth_rate",),
}
DUST = 1e-9  # fraction of the largest motion; axes that move less count as not moving


@dataclass(frozen=True)
class RunView:
    """A run with its reference, stability and limits, as input of a page.

    `run` and `reference` can be recordings. `curve` holds delays [s] and growth rates [1/s].
    """

    run: Run | Reported | Recorded
    reference: Run | Reported | Recorded | None = None
    stability: LoopStability | Margins | None = None
    label: str = ""
    curve: tuple[Sequence[float], Sequence[float]] | None = None
    limits: Sequence[LimitUse] | None = None
    why: str = ""  # reason why stability was not determined


class Judged:
    """Evaluated `RunView`: everything that the sections of a page share."""

    def __init__(self, view: RunView):
        self.view, self.run = view, Reported.from_run(view.run)
        self.notes: list[str] = []
        self.data = self._finite(self.run.recording)
        reference = None if view.reference is None else Reported.from_run(view.reference)
        self.reference = None if reference is None else reference.recording
        self.reference_outcome = None if reference is None else reference.outcome
        margins = Margins.from_stability(view.stability)
        self.impacts, self.reference_impacts = (_impacts(data) for data in (self.data, self.reference))
        responds = mode_named(self.run.mode or "run").rig_responds
        contacts = contact_energy(self.impacts, self.reference_impacts) if responds else None
        self.margins = replace(margins, why=view.why or "; ".join(margins.remarks), contacts=contacts)
        self.title = self.run.title or "Hybrid test"
        self.label = view.label or self.run.title or "run"
        self.mode = self.run.mode or "run"
        self.outcome, self.trip, self.runnable = self.run.outcome, self.run.trip, self.run.test
        self.accept = None if self.runnable is None else self.runnable.accept
        self.test = self.run.table()
        self.comparison = self._compare()
        self.criteria = evaluate_criteria(
            self.accept,
            self.data,
            self.reference,
            comparison=self.comparison,
            stability=None if self.margins.margin is None else self.margins,
            outcome=self.outcome,
            reference_outcome=self.reference_outcome,
        )
        if self.is_reference:
            self.verdict = verdicts.reference_verdict(self.outcome, self.trip)
        else:
            verdict = verdicts.verdict(self.margins, self.outcome, self.comparison, self.trip)
            self.verdict = verdicts.with_criteria(verdict, self.criteria)

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference solution; its margins are those of the test on its rig."""
        return mode_named(self.mode).is_reference

    @property
    def holds_force(self) -> bool:
        """Whether the loop held the force over each tick of the test."""
        return not self.is_reference and getattr(self.runnable, "sampling", "") == "rate"

    def _finite(self, data: Recording) -> Recording:
        """Return the leading part in which the main signals are finite."""
        good = np.ones(data.sizes["time"], dtype=bool)
        for name in ("displacement", "measured_displacement", "feedback_force"):
            if name in data:
                values = data[name].values.reshape(len(good), -1)
                good &= np.isfinite(values).all(axis=1)
        if good.all():
            return data
        count = int(np.argmin(good))
        self.notes.append(
            f"From t = {data.time.values[count]:.4g} s a signal is NaN or infinite; "
            "figures and errors cover the time before."
        )
        return data.isel(time=slice(0, count))

    def _compare(self) -> fidelity.Comparison | None:
        if self.reference is None:
            return None
        try:
            return fidelity.compare(self.data, self.reference)
        except (DovetailError, KeyError) as error:
            self.notes.append(f"No comparison with the reference: {error}.")
            return None

    def moving(self) -> list[int]:
        """Return the axes that move by more than the rounding error of the axis that moves most."""
        count = len(self.axis_names())
        if "displacement" not in self.data or not self.data.sizes["time"]:
            return list(range(count))
        reach = np.abs(self.data["displacement"].values.reshape(self.data.sizes["time"], -1)).max(axis=0)
        return [i for i in range(count) if reach[i] > DUST * reach.max()] or [0]

    def still(self) -> list[str]:
        """Return the names of the axes that do not move."""
        names, moving = self.axis_names(), self.moving()
        return [name for i, name in enumerate(names) if i not in moving]

    def axis_names(self) -> list[str]:
        """Return the names of the interface axes; one empty name for a single axis."""
        shape = self.data["displacement"].shape[1:] if "displacement" in self.data else ()
        if not shape:
            return [""]
        if "axis" in self.data.coords:
            return [str(name) for name in self.data["axis"].values]
        return [str(i + 1) for i in range(int(np.prod(shape)))]


def _impacts(data: Recording | None) -> list[ImpactEvent]:
    """Return the contacts of a recording; empty if it has none, or if they cannot be found."""
    if data is None or "penetration" not in data:
        return []
    return value_or_none(lambda: fidelity.impact_log(data)) or []


def limit_uses(view: Judged) -> list[LimitUse]:
    """Return the largest value and the bound of each limit of the test whose signal was recorded."""
    limits, data, uses = view.test.get("limits"), view.data, []
    for name, limit in limits.items() if isinstance(limits, Mapping) else ():
        if name not in LIMITS or isinstance(limit, str):
            continue
        bound = float(np.min(np.asarray(limit, dtype=float)))
        most = largest_of(data, LIMITS[name])
        if most is None and "tracking_error" in LIMITS[name] and "measured_displacement" in data:
            error = data["displacement"].values - data["measured_displacement"].values
            most = float(np.abs(error).max())
        if most is not None:
            unit = signals.signal(LIMITS[name][0]).unit
            uses.append(LimitUse(name.replace("_", " "), most, bound, unit))
    return uses
