"""Design step 4 of 4, verify: rehearse the designed test, also with additional rig delay, and check the results."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail import fidelity
from dovetail.assess.margins import later
from dovetail.core.errors import AnalysisError
from dovetail.testing import Assessment, Run, Test

FILLED = 0.9  # largest used fraction of a limit in a rehearsal


@dataclasses.dataclass(frozen=True)
class Check:
    """One check that must pass for a go."""

    what: str
    value: str
    limit: str
    passed: bool

    def __str__(self) -> str:
        return f"{'ok  ' if self.passed else 'FAIL'} {self.what}: {self.value} (limit: {self.limit})"


@dataclasses.dataclass(frozen=True)
class Verification:
    """Results of the verification."""

    checks: tuple[Check, ...]
    growth: float  # [1/s] growth rate of the sampled loop
    tracking: float  # rms(demand - measured) / rms(reference), worst axis
    accuracy: float  # rms(reference - measured) / rms(reference), worst axis
    run: Run

    @property
    def go(self) -> bool:
        """True if every check passed."""
        return all(check.passed for check in self.checks)


def verify(
    test: Test,
    reference: Run,
    *,
    assessment: Assessment,
    required: float,
    uncertainty: float,
    tolerance: float,
) -> Verification:
    """Rehearse the designed test, and again with the delay uncertainty added to the rig; check both runs.

    Parameters
    ----------
    assessment, required
        Assessment of the test, and the required delay margin [s].
    uncertainty
        Uncertainty of the rig delay [s].
    tolerance
        Largest accepted rms(reference - measured) / rms(reference), evaluated after the end of every schedule: before,
        the scheduled parameters differ from their final values.
    """
    run = test.rehearse(keep=False)
    tracking, accuracy = _errors(run, reference)
    checks = [
        Check("sampled loop", f"{assessment.word} ({assessment.validity})", "stable", assessment.stable),
        Check(
            "margin",
            assessment.margin_text,
            f"{1e3 * required:.3g} ms or more",
            assessment.margin >= required,
        ),
        Check("rehearsal", run.outcome.value, "finishes", run.outcome.completed),
        _within("response error", accuracy, tolerance),
    ]
    checks += _limits(test, run)
    if uncertainty > 0:
        late = later(test, uncertainty, max(uncertainty, test.dt)).rehearse(keep=False)
        _, error = _errors(late, reference)
        checks.append(
            Check(
                f"rehearsal with {1e3 * uncertainty:.2g} ms more rig delay",
                f"{late.outcome.value} Error {_per_cent(error)}",
                f"finishes, error at most {_per_cent(2 * tolerance)}",
                late.outcome.completed and error <= 2 * tolerance,
            )
        )
    return Verification(tuple(checks), assessment.growth_rate, tracking, accuracy, run)


def _errors(run: Run, reference: Run) -> tuple[float, float]:
    """Return tracking error and total error of the worst axis; infinite if they cannot be determined."""
    try:
        norms = fidelity.norms(run.data.sel(time=slice(comparison_start(run.test), None)), reference)["rms"]
    except AnalysisError:
        return math.inf, math.inf
    e2, e = (float(np.max(norms.sel(error=name))) for name in ("e2", "e"))
    return e2, e if run.outcome.completed else math.inf


def comparison_start(test: Test) -> float:
    """Return the time [s] from which a run is compared: a quarter of the remaining time after the last schedule."""
    last = max((profile.constant_after for profile in test.schedule.values()), default=0.0)
    return last + 0.25 * (test.duration - last) if 0 < last < test.duration else 0.0


def _within(what: str, value: float, limit: float) -> Check:
    return Check(what, _per_cent(value), f"at most {_per_cent(limit)}", value <= limit)


def _limits(test: Test, run: Run) -> list[Check]:
    """Return a check for the used fraction of each finite limit."""
    checks = []
    for name in ("displacement", "velocity", "force"):
        limit = float(np.min(getattr(test.limits, name)))
        if math.isfinite(limit):
            used = float(np.abs(run.data[{"force": "measured_force"}.get(name, name)]).max()) / limit
            checks.append(_within(f"{name} limit used", used, FILLED))
    return checks


def _per_cent(value: float) -> str:
    return "not determined" if not math.isfinite(value) else f"{100 * value:.3g} %"
