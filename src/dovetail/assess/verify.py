"""Step 4 of four, verify: rehearse what was decided, against the ideal and on a later rig, and judge."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail import fidelity
from dovetail.assess.margins import growths, later
from dovetail.core.errors import AnalysisError
from dovetail.testing import Run, Test

FILLED = 0.9  # share of a limit that a rehearsal may use


@dataclasses.dataclass(frozen=True)
class Check:
    """One thing that must hold for a go."""

    what: str
    value: str
    wanted: str
    holds: bool

    def __str__(self) -> str:
        return f"{'ok  ' if self.holds else 'FAIL'} {self.what}: {self.value} (wanted: {self.wanted})"


@dataclasses.dataclass(frozen=True)
class Verification:
    """What the rehearsal showed."""

    checks: tuple[Check, ...]
    growth: float  # [1/s] of the sampled loop
    tracking: float  # rms of demand minus measured over the rms of the ideal, worst axis
    accuracy: float  # rms of ideal minus measured over the rms of the ideal, worst axis
    run: Run

    @property
    def go(self) -> bool:
        """True if every check holds."""
        return all(check.holds for check in self.checks)


def verify(
    test: Test,
    ideal: Run,
    *,
    margin: float,
    required: float,
    uncertainty: float,
    tolerance: float,
    by_rehearsal: bool = False,
) -> Verification:
    """Rehearse the designed test and one on a rig that is later by the uncertainty; judge both.

    Parameters
    ----------
    margin, required
        Extra delay that the loop bears and must bear [s].
    uncertainty
        Of the rig's delay [s].
    tolerance
        Largest rms of ideal minus measured accepted, over the rms of the ideal. It is judged once every
        schedule has arrived: until then the test is another one.
    by_rehearsal
        Whether poles at rest say nothing, because the specimen is another one when it moves.
    """
    growth = float(growths([test])[0])
    run = test.rehearse(keep=False)
    tracking, accuracy = _errors(run, ideal)
    checks = [
        Check("sampled loop", f"{growth:+.3g} 1/s", "decays", growth < 0)
        if not by_rehearsal
        else Check(
            "sampled loop", f"{growth:+.3g} 1/s at rest", "no verdict: the specimen is not linear", True
        ),
        Check(
            "margin",
            "more than ten times that" if math.isinf(margin) else f"{1e3 * margin:.3g} ms of extra delay",
            f"{1e3 * required:.3g} ms or more",
            margin >= required,
        ),
        Check("rehearsal", run.outcome.value, "runs to its end", run.outcome.completed),
        _within("error against the ideal", accuracy, tolerance),
    ]
    checks += _limits(test, run)
    if uncertainty > 0:
        late = later(test, uncertainty, max(uncertainty, test.dt)).rehearse(keep=False)
        _, error = _errors(late, ideal)
        checks.append(
            Check(
                f"rehearsal on a rig {1e3 * uncertainty:.2g} ms later",
                f"{late.outcome.value} Error {_per_cent(error)}",
                f"runs to its end, error at most {_per_cent(2 * tolerance)}",
                late.outcome.completed and error <= 2 * tolerance,
            )
        )
    return Verification(tuple(checks), growth, tracking, accuracy, run)


def _errors(run: Run, ideal: Run) -> tuple[float, float]:
    """Tracking error and error against the ideal, worst axis; infinite where they cannot be judged."""
    try:
        found = fidelity.norms(run.data.sel(time=slice(arrived(run.test), None)), ideal)["rms"]
    except AnalysisError:
        return math.inf, math.inf
    e2, e = (float(np.max(found.sel(error=name))) for name in ("e2", "e"))
    return e2, e if run.outcome.completed else math.inf


def arrived(test: Test) -> float:
    """Time [s] from which a run can be held against the ideal: schedules at their end, and a while after."""
    last = max((profile.ends for profile in test.schedule.values()), default=0.0)
    return last + 0.25 * (test.duration - last) if 0 < last < test.duration else 0.0


def _within(what: str, value: float, limit: float) -> Check:
    return Check(what, _per_cent(value), f"at most {_per_cent(limit)}", value <= limit)


def _limits(test: Test, run: Run) -> list[Check]:
    """How much of each finite limit the rehearsal used."""
    checks = []
    for name in ("displacement", "velocity", "force"):
        limit = float(np.min(getattr(test.limits, name)))
        if math.isfinite(limit):
            used = float(np.abs(run.data[{"force": "measured_force"}.get(name, name)]).max()) / limit
            checks.append(_within(f"{name} limit used", used, FILLED))
    return checks


def _per_cent(value: float) -> str:
    return "not known" if not math.isfinite(value) else f"{100 * value:.3g} %"
