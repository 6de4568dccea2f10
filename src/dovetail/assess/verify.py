"""Design step 4 of 4, verify: rehearse the designed test, also with additional rig delay, and check the results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import fidelity
from dovetail.assess.margins import later
from dovetail.core.errors import AnalysisError, value_or_none
from dovetail.core.si_prefix import value_text
from dovetail.fidelity.acceptance import (
    DEFAULT_ERROR,
    Criterion,
    default_accept,
    evaluate_criteria,
)
from dovetail.testing import Accept, Assessment, Run, Test

ERRORS = [field.name for field in dataclasses.fields(Accept) if field.name.endswith("_error")]
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
    accuracy: float  # rms(reference - demand) / rms(reference), worst axis
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
    accept: Accept,
) -> Verification:
    """Rehearse the designed test, and again with the delay uncertainty added to the rig; check both runs.

    Parameters
    ----------
    assessment, required
        Assessment of the test, and the required delay margin [s].
    uncertainty
        Uncertainty of the rig delay [s].
    accept
        Acceptance criteria, evaluated after the end of every schedule: before, the scheduled parameters differ from
        their final values. With the additional delay, twice the accepted errors are the limit.
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
        *map(_check, _criteria(accept, run, reference, assessment)),
    ]
    checks += _limits(test, run)
    if uncertainty > 0:
        late = later(test, uncertainty, max(uncertainty, test.dt)).rehearse(keep=False)
        criteria = _criteria(_scaled_errors(accept, 2.0), late, reference)
        worst = "; ".join(str(one) for one in criteria if not one.is_satisfied) or "within twice the limits"
        checks.append(
            Check(
                f"rehearsal with {1e3 * uncertainty:.2g} ms more rig delay",
                f"{late.outcome.value} Errors: {worst}",
                "finishes, errors at most twice the limits",
                late.outcome.completed and all(one.is_satisfied for one in criteria),
            )
        )
    return Verification(tuple(checks), assessment.growth_rate, tracking, accuracy, run)


def accepted(test: Test, reference: Run, max_error: float | None = None) -> Accept:
    """Return the acceptance criteria of a test, by default those of its kind; `max_error` replaces all errors."""
    accept = test.accept or default_accept(reference.recording)
    return accept if max_error is None else _with_errors(accept, lambda error: max_error)


def max_accepted_error(accept: Accept) -> float:
    """Return the smallest of the accepted errors; 10 % without any."""
    return min(
        (getattr(accept, name) for name in ERRORS if getattr(accept, name) is not None), default=DEFAULT_ERROR
    )


def _scaled_errors(accept: Accept, factor: float) -> Accept:
    return _with_errors(accept, lambda error: factor * error)


def _with_errors(accept: Accept, new: Callable[[float], float]) -> Accept:
    """Return the criteria with other values of the errors that they limit."""
    given = {name: getattr(accept, name) for name in ERRORS}
    changed: dict[str, Any] = {name: new(e) for name, e in given.items() if e is not None}
    return dataclasses.replace(accept, **changed)


def _criteria(
    accept: Accept, run: Run, reference: Run, assessment: Assessment | None = None
) -> list[Criterion]:
    """Return the criteria with their values after the last schedule; without an assessment, none on the margin."""
    start = comparison_start(run.test)
    measured, ideal = (one.recording.between(start) for one in (run, reference))
    needs_energy = accept.added_energy_fraction is not None
    criteria = evaluate_criteria(
        accept,
        measured,
        ideal,
        comparison=value_or_none(lambda: fidelity.compare(measured, ideal)) if needs_energy else None,
        stability=assessment,
        outcome=run.outcome,
        reference_outcome=reference.outcome,
    )
    return [one for one in criteria if assessment is not None or not one.is_minimum]


def _check(criterion: Criterion) -> Check:
    if criterion.outcomes is not None:
        return Check("outcome", *criterion.outcomes, passed=bool(criterion.is_satisfied))
    limit = value_text(criterion.limit, criterion.unit)
    bound = "at least" if criterion.is_minimum else "at most"
    return Check(criterion.quantity, criterion.value_text, f"{bound} {limit}", bool(criterion.is_satisfied))


def _errors(run: Run, reference: Run) -> tuple[float, float]:
    """Return tracking error and response error of the worst axis; infinite if they cannot be determined."""
    try:
        norms = fidelity.norms(run.data.sel(time=slice(comparison_start(run.test), None)), reference)["rms"]
    except AnalysisError:
        return math.inf, math.inf
    e2, e1 = (float(np.max(norms.sel(error=name))) for name in ("e2", "e1"))
    return e2, e1 if run.outcome.completed else math.inf


def comparison_start(test: Test) -> float:
    """Return the time [s] from which a run is compared: a quarter of the remaining time after the last schedule."""
    last = max((profile.constant_after for profile in test.schedule.values()), default=0.0)
    return last + 0.25 * (test.duration - last) if 0 < last < test.duration else 0.0


def _limits(test: Test, run: Run) -> list[Check]:
    """Return a check for the used fraction of each finite limit."""
    checks = []
    for name in ("displacement", "velocity", "force"):
        limit = float(np.min(getattr(test.limits, name)))
        if math.isfinite(limit):
            used = float(np.abs(run.data[{"force": "measured_force"}.get(name, name)]).max()) / limit
            checks.append(_check(Criterion(f"{name} limit used", used, FILLED)))
    return checks
