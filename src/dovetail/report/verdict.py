"""Verdict on a run in one sentence: stability, delay margin, outcome and response error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dovetail.core.si_prefix import value_text
from dovetail.fidelity import Comparison
from dovetail.fidelity.acceptance import Criterion, overall_tone
from dovetail.fidelity.impacts import ContactEnergy
from dovetail.report.page import Tone, Verdict
from dovetail.testing.assessment import Assessment
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.stability_at_rest import LoopStability

REFERENCE = "Reference solution"  # verdict on a run without a rig
NEAR = 0.2  # fraction of the critical delay; a smaller margin is reported as small


@dataclass(frozen=True)
class Margins:
    """Result of a stability analysis; None for values that were not determined."""

    critical_delay: float | None = None  # [s]; infinite if stable for any delay
    rig_delay: float | None = None  # [s] of the rig
    margin: float | None = None  # [s]
    critical_frequency: float | None = None  # [Hz]
    growth_rate: float | None = None  # [1/s] of the sampled loop; negative: decays
    pole_frequency: float | None = None  # [Hz] of the dominant pole
    force_hold_delay: float | None = None  # [s] delay of the force hold
    sensor_delay: float | None = None  # [s] of the force sensor
    command_hold_delay: float | None = None  # [s] delay of the command hold
    loop_delay: float | None = None  # [s] total delay between demand and force
    remarks: tuple[str, ...] = ()
    small_motion_only: bool = False  # the specimen is nonlinear: the analysis is valid for small motion only
    has_compensation: bool = False  # the loop contains a delay compensator
    stable_interval: tuple[float, float] | None = (
        None  # [s] stable delay interval beyond the critical delay that contains the loop delay
    )
    why: str = ""  # reason why stability was not determined
    contacts: ContactEnergy | None = None  # energy of the contacts of the run
    nonlinear: Assessment | None = None  # assessment in which the linear result at rest does not govern
    marginal: bool = False  # so close to the limit that the test is too short to show on which side it is

    @classmethod
    def from_stability(cls, stability: LoopStability | Margins | None) -> Margins:
        """Convert the result of an analysis; NaN becomes None."""
        if stability is None:
            return cls()

        def number(name: str) -> float | None:
            value = getattr(stability, name)
            if value is None:
                return None
            value = np.asarray(value, dtype=float)
            # with several axes the least favourable value
            extreme = float(value.max() if name in ("rig_delay", "growth_rate") else value.min())
            return None if math.isnan(extreme) else extreme

        nonlinear = stability.nonlinear if isinstance(stability, Margins) else None
        if isinstance(stability, Assessment) and stability.governs not in ("", "linear"):
            nonlinear = stability
        others: dict[str, Any] = {
            "nonlinear": nonlinear,
            "contacts": None,
            "marginal": getattr(stability, "marginal", False),
            "remarks": stability.remarks,
            "small_motion_only": stability.small_motion_only,
            "has_compensation": stability.has_compensation,
            "stable_interval": stability.stable_interval,
            "why": stability.why if isinstance(stability, Margins) else "",
        }
        return cls(**others | {name: number(name) for name in cls.__dataclass_fields__ if name not in others})

    @property
    def stable(self) -> bool | None:
        """Whether the loop is stable; None if not determined."""
        if self.nonlinear is not None:
            return self.nonlinear.stable
        if self.growth_rate is not None:
            return self.growth_rate < 0
        return None if self.margin is None else self.margin > 0

    @property
    def near(self) -> bool:
        """Whether the loop is stable with a margin below a fifth of its largest delay."""
        if self.margin is None or self.stable is False:
            return False
        if self.nonlinear is not None:
            return self.margin < NEAR * (self.margin + (self.loop_delay or 0.0))
        if self.critical_delay is None or math.isinf(self.critical_delay):
            return False
        return self.margin < NEAR * self.critical_delay


def all_remarks(margins: Margins) -> list[str]:
    """Return the parts of the assessment of a nonlinear test, and all remarks."""
    assessment = margins.nonlinear
    if assessment is None:
        return list(margins.remarks)
    parts = {
        "Rehearsed with additional delay": assessment.rehearsed,
        f"Tangents along {assessment.size}": assessment.tangents,
    }
    texts = [f"{name}: {part}." for name, part in parts.items() if part is not None]
    return [
        *texts,
        "Critical delay and growth rate are those of the linear loop at rest.",
        *margins.remarks,
    ]


def completed(outcome: Outcome | None) -> bool | None:
    """Return whether a run reached its end; None without an outcome."""
    return None if outcome is None else outcome.completed


def ending(outcome: Outcome | None) -> str:
    """Return the sentence of an outcome."""
    return "No outcome recorded." if outcome is None else outcome.value


def completed_despite_linear_instability(margins: Margins, outcome: Outcome | None) -> bool:
    """Return whether the linear analysis is unstable, but the run with a nonlinear specimen completed."""
    rehearsed = margins.nonlinear is not None and margins.nonlinear.rehearsed is not None
    linear = margins.stable is False and margins.small_motion_only and not rehearsed
    return linear and completed(outcome) is True


def tone(margins: Margins, outcome: Outcome | None) -> Tone:
    """Return the tone of the verdict: good, caution or bad."""
    if margins.contacts is not None and (margins.contacts.gains or margins.stable is None):
        return "bad" if margins.contacts.gains or completed(outcome) is False else "good"
    if completed_despite_linear_instability(margins, outcome):
        return "caution"
    if completed(outcome) is False or (margins.stable is False and not margins.marginal):
        return "bad"
    if margins.marginal:
        return "caution"
    if margins.nonlinear is not None and margins.nonlinear.word != "Stable":
        return "caution"
    return "caution" if margins.near or margins.stable is None else "good"


def word(margins: Margins, outcome: Outcome | None) -> str:
    """Return the verdict in one to four words."""
    if margins.contacts is not None and (margins.contacts.gains or margins.stable is None):
        return margins.contacts.word
    if completed_despite_linear_instability(margins, outcome):
        return "Stable run, unstable at rest"
    if margins.marginal and completed(outcome) is not False:
        return "Marginal"
    if margins.nonlinear is not None and not margins.near:
        stopped = completed(outcome) is False and margins.stable
        return "Stopped" if stopped else margins.nonlinear.word
    if margins.stable is False:
        return "Unstable"
    if margins.near:
        return "Small margin"
    if completed(outcome) is False:
        return "Stopped"
    if margins.stable is None:
        return "Stability not determined" if margins.why else "Not analysed"
    return "Stable"


def verdict(
    margins: Margins, outcome: Outcome | None, comparison: Comparison | None = None, trip: Trip | None = None
) -> Verdict:
    """Return the verdict on one run with a rig."""
    clauses = [reason(margins).removeprefix(f"{word(margins, outcome)} ")]
    if completed_despite_linear_instability(margins, outcome):
        clauses.append("Linear analysis at rest; the specimen is nonlinear, and the run completed.")
    if completed(outcome) is not True or margins.stable is False:
        clauses.append("" if outcome is None else _sentence(outcome.value))
    if trip is not None:
        clauses.append(f"Limit reached: {trip}.")
    if comparison is not None:
        clauses.append(_error(comparison, completed(outcome)))
    text = " ".join(clause for clause in clauses if clause)
    return Verdict(f"{word(margins, outcome)}: {text[:1].lower()}{text[1:]}", tone(margins, outcome))


def with_criteria(verdict: Verdict, criteria: Sequence[Criterion]) -> Verdict:
    """Return the verdict with the criteria that are not met; its tone is the worse of both."""
    missed = [str(each) for each in criteria if each.is_satisfied is False and each.outcomes is None]
    more = f" Not accepted: {'; '.join(missed)}." if missed else ""
    ranked: tuple[Tone, ...] = ("bad", "caution", "good", "plain")
    tone = min(verdict.tone, overall_tone(criteria), key=ranked.index)
    return Verdict(f"{verdict.sentence}{more}", tone)


def reference_verdict(outcome: Outcome | None, trip: Trip | None = None) -> Verdict:
    """Return the verdict on a run without a rig, with which other runs are compared."""
    text = f"{REFERENCE}: no rig in this run, no delay."
    if completed(outcome) is not False:
        return Verdict(text)
    stopped = f" Limit reached: {trip}." if trip is not None else ""
    return Verdict(f"{text} {ending(outcome)}{stopped}", "bad")


def reason(margins: Margins) -> str:
    """Return why a loop is stable or not: energy of the contacts, loop delay compared with the critical delay."""
    if margins.contacts is not None:
        text = str(margins.contacts)
        linear = reason(replace(margins, contacts=None)) if margins.stable is not None else ""
        return f"{text[:1].upper()}{text[1:]}. {linear}".strip()
    if margins.nonlinear is not None:
        text = margins.nonlinear.verdict.partition(": ")[2]
        return f"{text[:1].upper()}{text[1:]}."
    if margins.critical_delay is None:
        if margins.growth_rate is None and margins.why:
            return f"{margins.why[:1].upper()}{margins.why[1:].rstrip('.')}."
        if margins.growth_rate is None:
            return "Stability was not analysed."
        return f"The sampled loop {_grows(margins.growth_rate, margins.pole_frequency)}."
    if math.isinf(margins.critical_delay):
        return "Stable for any delay."
    critical = f"the critical delay of {value_text(margins.critical_delay, 's')}"
    if margins.loop_delay is None or margins.margin is None:
        return f"The critical delay is {value_text(margins.critical_delay, 's')}; the rig delay is not known."
    parts = {
        "sensor delay {}": margins.sensor_delay,
        "command hold {}": margins.command_hold_delay,
        "force hold {}": margins.force_hold_delay,
    }
    more = [text.format(value_text(value, "s")) for text, value in parts.items() if value]
    late = ", ".join([f"rig delay {value_text(margins.rig_delay or 0.0, 's')}", *more])
    runs = _grows(margins.growth_rate or 0.0, margins.pole_frequency)
    if margins.loop_delay < margins.critical_delay:
        if margins.stable:
            what = (
                f"Delay margin {value_text(margins.margin, 's')} of {critical}"
                if math.isfinite(margins.margin)
                else f"Full critical delay available, {value_text(margins.critical_delay, 's')}"
            )
            return f"{what} ({late})."
        return f"The loop delay is below {critical} ({late}), but the sampled loop {runs}."
    if margins.stable and margins.has_compensation:
        delay = value_text(margins.rig_delay or 0.0, "s")
        return f"The compensator corrects the rig delay of {delay}, which exceeds {critical}: the sampled loop {runs}."
    if margins.stable and margins.stable_interval is not None:
        low, high = margins.stable_interval
        where = (
            f"between {value_text(low, 's')} and {value_text(high, 's')}"
            if math.isfinite(high)
            else f"beyond {value_text(low, 's')}"
        )
        return (
            f"The loop delay exceeds {critical} and lies in a stable delay interval {where} ({late}): "
            f"the sampled loop {runs}; less delay would destabilise it."
        )
    exceed = f"Exceeds {critical} by {value_text(margins.loop_delay - margins.critical_delay, 's')} ({late})"
    if margins.stable and margins.growth_rate is not None:
        return f"{exceed}, but the sampled loop {runs}."
    if margins.growth_rate is None:
        return f"{exceed}."
    return f"{exceed}; the sampled loop {runs}."


def _grows(rate: float, frequency: float | None) -> str:
    at = f" at {value_text(frequency, 'Hz')}" if frequency else ""
    return f"{'grows' if rate >= 0 else 'decays'} at {value_text(abs(rate), '1/s')}{at}"


def _error(comparison: Comparison, done: bool | None) -> str:
    until = "" if done is not False else " up to the stop"
    return f"Response error {comparison.text('rms.e1')}{until}, tracking error {comparison.text('rms.e2')}."


def _sentence(text: Any) -> str:
    text = str(text).strip()
    return text if not text or text[-1] in ".!?" else f"{text}."
