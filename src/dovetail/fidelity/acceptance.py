"""Check a run against the acceptance criteria of its test.

Without `[accept]` the default criteria apply: an error of 10 % of the reference is the limit, and half of it is good.
No standard fixes these values; 5 % and 10 % are the usual choice for the measures of [christenson2014]. For comparison,
[iec60068shock] tolerates 15 % in the velocity change of a shock. A simulation is judged by its energy balance
[belytschko2014, sec. 6.2].

>>> print(*evaluate_criteria(run.test.accept, run, reference), sep="\\n")  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from dovetail.core import signals
from dovetail.core.energy_balance import LEAST_TOLERANCE
from dovetail.core.errors import DovetailError
from dovetail.core.quantities import QUANTITIES
from dovetail.core.recording import Recording
from dovetail.core.si_prefix import FRACTION, value_text
from dovetail.fidelity.audit import audit
from dovetail.fidelity.compare import Comparison
from dovetail.fidelity.errors import relative_errors
from dovetail.fidelity.impact_errors import first_contact_errors
from dovetail.fidelity.impacts import impact_log
from dovetail.fidelity.largest import largest
from dovetail.fidelity.traces import Recorded, recording
from dovetail.testing.acceptance import SAME_OUTCOME, Accept
from dovetail.testing.outcome import Outcome

DEFAULT_ERROR = 0.1  # largest error without [accept], as a fraction of the reference
GOOD = 0.5  # fraction of a default limit up to which a result is good
DEFAULT_SOURCE = "default limits of the field; set those of the test in [accept]"
CONTACT = {  # criterion: quantity
    "rebound_speed_error": "rebound speed error",
    "rebound_energy_error": "rebound energy error",
    "peak_force_error": "peak force error",
    "penetration_error": "penetration error",
    "contact_duration_error": "contact duration error",
}
DEFAULT_CONTACT = ("rebound_speed_error", "peak_force_error", "penetration_error", "contact_duration_error")
Judgement = Literal["plain", "good", "caution", "bad"]


@dataclass(frozen=True)
class Criterion:
    """Acceptance criterion: quantity, value and limit; `is_satisfied` is None if there is no value."""

    quantity: str
    value: float
    limit: float
    unit: str = FRACTION
    is_minimum: bool = False  # the limit is a minimum, not a maximum
    is_default: bool = False  # the test has no acceptance criteria
    outcomes: tuple[str, str] | None = None  # outcome of the run and required outcome

    @property
    def is_satisfied(self) -> bool | None:
        """Whether the value satisfies the limit; None if there is no value."""
        if math.isnan(self.value):
            return None
        return self.value >= self.limit if self.is_minimum else self.value <= self.limit

    @property
    def tone(self) -> Judgement:
        """Colour of the result: good, caution (no value, or above half of a default limit), bad."""
        if self.is_satisfied is None:
            return "caution"
        if not self.is_satisfied:
            return "bad"
        return "caution" if self.is_default and abs(self.value) > GOOD * self.limit else "good"

    def __str__(self) -> str:
        if self.outcomes is not None:
            return "{}: {}, required: {}".format(self.quantity, *self.outcomes)
        if self.is_satisfied is None:
            return f"{self.quantity}: not determined (limit {value_text(self.limit, self.unit)})"
        bound = "minimum" if self.is_minimum else "maximum"
        return f"{self.quantity} {self.value_text}, {bound} {value_text(self.limit, self.unit)}"

    @property
    def value_text(self) -> str:
        """Value with its unit; an infinite error means that the run has no such contact."""
        lost = math.isinf(self.value) and self.unit == FRACTION
        return "infinite (no such contact)" if lost else value_text(self.value, self.unit)


def overall_tone(criteria: Sequence[Criterion]) -> Judgement:
    """Return the worst colour of the criteria; plain without criteria."""
    tones = {criterion.tone for criterion in criteria}
    ranked: tuple[Judgement, ...] = ("bad", "caution", "good")
    return next((tone for tone in ranked if tone in tones), "plain")


def default_accept(reference: Recorded | None) -> Accept:
    """Return the criteria of a test without `[accept]`: contact errors if the reference has a contact."""
    if reference is None:
        return Accept(energy_residual=LEAST_TOLERANCE)
    names = DEFAULT_CONTACT if _has_contact(recording(reference)) else ("response_error",)
    limits: dict[str, Any] = dict.fromkeys(names, DEFAULT_ERROR)
    return Accept(**limits)


def error_tone(accept: Accept | None, name: str, value: float) -> Judgement:
    """Return the colour of one error of a run, `response_error` or `tracking_error`; plain without a limit."""
    limit = getattr(accept or Accept(response_error=DEFAULT_ERROR), name)
    if limit is None or math.isnan(value):
        return "plain"
    return Criterion(name, value, limit, is_default=accept is None).tone


def evaluate_criteria(
    accept: Accept | None,
    run: Recorded | None = None,
    reference: Recorded | None = None,
    *,
    comparison: Comparison | None = None,
    stability: Any = None,
    outcome: Outcome | None = None,
    reference_outcome: Outcome | None = None,
) -> list[Criterion]:
    """Return the acceptance criteria of a test with their values in a run.

    Parameters
    ----------
    accept
        Criteria of the test; None: the default criteria, as far as they can be evaluated.
    comparison, stability
        Results that were computed before. Without a comparison the errors are computed from the recordings.
    outcome, reference_outcome
        Outcomes of run and reference solution.
    """
    is_default = accept is None
    accept = accept or default_accept(reference)
    data, truth = (None if one is None else recording(one) for one in (run, reference))
    errors = _Errors(data, truth, comparison)

    def contact_error(name: str) -> Any:
        return errors.contact[name]

    values: dict[str, tuple[str, Callable[[], Any]]] = {
        "response_error": (QUANTITIES["rms.e1"].name, lambda: errors.rms("e1")),
        "tracking_error": (QUANTITIES["rms.e2"].name, lambda: errors.rms("e2")),
        "peak_response_error": (QUANTITIES["peak.e1"].name, lambda: errors.peak("e1")),
        "margin": (
            QUANTITIES["margin"].name,
            lambda: None if stability is None else np.min(stability.margin),
        ),
        "added_energy_fraction": (
            QUANTITIES["added_energy_fraction"].name,
            lambda: _max(comparison and comparison.added_energy_fraction),
        ),
        "energy_residual": (
            QUANTITIES["energy_residual_fraction"].name,
            lambda: None if data is None else audit(data).energy_fraction,
        ),
        **{name: (quantity, partial(contact_error, name)) for name, quantity in CONTACT.items()},
    }
    criteria = [
        Criterion(quantity, _number(value()), limit, is_default=is_default, **_KINDS.get(name, {}))
        for name, (quantity, value) in values.items()
        if (limit := getattr(accept, name)) is not None
    ]
    criteria += _signal_criteria(accept, data, truth)
    if is_default:
        criteria = [criterion for criterion in criteria if criterion.is_satisfied is not None]
    return [*criteria, *_outcome_criterion(accept, outcome, reference_outcome)]


_KINDS: dict[str, dict[str, Any]] = {
    "margin": {"unit": "s", "is_minimum": True}
}  # of criteria that are no fraction


class _Errors:
    """Errors of a run against its reference, each computed at its first use."""

    def __init__(self, data: Recording | None, truth: Recording | None, comparison: Comparison | None):
        self.data, self.truth, self.computed = data, truth, comparison

    def _relative(self) -> Any:
        if self.computed is None and self.data is not None and self.truth is not None:
            try:
                self.computed = relative_errors(self.data, self.truth)  # type: ignore[assignment]  # same fields
            except (DovetailError, KeyError):  # no motion, or no such signals: not determined
                return None
        return self.computed

    def rms(self, name: str) -> float:
        return _max(getattr(self._relative(), "rms", {}).get(name))

    def peak(self, name: str) -> float:
        return _max(getattr(self._relative(), "peak", {}).get(name))

    @property
    def contact(self) -> dict[str, float]:
        if self.data is None or self.truth is None:
            return dict.fromkeys(CONTACT, math.nan)
        return first_contact_errors(self.data, self.truth)


def _signal_criteria(accept: Accept, data: Recording | None, truth: Recording | None) -> list[Criterion]:
    criteria = []
    for name, limits in accept.signals.items():
        label, unit = name.replace("_", " "), signals.signal(name).unit
        peak, expected = (math.nan if one is None else largest(one, name) for one in (data, truth))
        if limits.max is not None:
            criteria.append(Criterion(f"largest {label}", peak, limits.max, unit))
        if limits.peak_error is not None:
            error = abs(peak / expected - 1) if expected > 0 else math.nan
            criteria.append(Criterion(f"error of the peak {label}", error, limits.peak_error))
    return criteria


def _outcome_criterion(
    accept: Accept, outcome: Outcome | None, reference_outcome: Outcome | None
) -> list[Criterion]:
    """Return the criterion of the outcome: as required, or as the reference; a run stopped by a limit fails it."""
    if outcome is None:
        return []
    required = accept.outcome
    if required == SAME_OUTCOME:
        completed = reference_outcome is not None and reference_outcome.completed
        required = reference_outcome.name.lower() if completed and reference_outcome else "completed"
    satisfied = outcome.completed if required == "completed" else outcome.name.lower() == required
    if satisfied and accept.outcome == SAME_OUTCOME:
        return []
    sentence = outcome.value.partition(":")[2].strip() or outcome.value
    return [Criterion("outcome", float(not satisfied), 0.5, outcomes=(sentence.rstrip("."), required))]


def _has_contact(data: Recording) -> bool:
    try:
        return bool(impact_log(data))
    except (DovetailError, KeyError):  # no contact signals
        return False


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _max(value: Any) -> float:
    values = np.atleast_1d(np.asarray(math.nan if value is None else value, float))
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan
