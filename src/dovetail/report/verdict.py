"""The verdict on a run in a sentence: would it work, did it, and how much did the rig change it?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dovetail.fidelity import Comparison
from dovetail.report.page import Tone, Verdict
from dovetail.testing.assessment import Stability
from dovetail.testing.outcome import Outcome, Trip

IDEAL = "The ideal"  # the verdict on a run without a rig, in two words
NEAR = 0.2  # of the critical delay: a smaller margin is close to the limit


@dataclass(frozen=True)
class Margins:
    """What a stability analysis said, None where it said nothing."""

    critical_delay: float | None = None  # [s]; infinite where no delay destabilises
    delay: float | None = None  # [s] of the rig
    margin: float | None = None  # [s]
    frequency: float | None = None  # [Hz]
    growth_rate: float | None = None  # [1/s] of the loop as it runs; negative decays
    pole_frequency: float | None = None  # [Hz] of that growth
    half_tick: float | None = None  # [s] that holding the force costs
    sensor_delay: float | None = None  # [s] of the force sensor
    command_hold: float | None = None  # [s] that holding the command costs
    remarks: tuple[str, ...] = ()
    near_rest: bool = False  # the specimen is not linear: all this holds for small motion only
    compensated: bool = False  # something in the loop makes up for delay
    island: tuple[float, float] | None = (
        None  # [s] of stable delays beyond the critical one in which the loop is
    )
    why: str = ""  # it said nothing

    @classmethod
    def of(cls, stability: Stability | Margins | None) -> Margins:
        """From what an analysis said; NaN and None are nothing said."""
        if stability is None:
            return cls()

        def number(name: str) -> float | None:
            value = getattr(stability, name)
            if value is None:
                return None
            value = np.asarray(value, dtype=float)
            # with several axes the least favourable one decides
            found = float(value.max() if name in ("delay", "growth_rate") else value.min())
            return None if math.isnan(found) else found

        others: dict[str, Any] = {
            "remarks": stability.remarks,
            "near_rest": stability.near_rest,
            "compensated": stability.compensated,
            "island": stability.island,
            "why": stability.why if isinstance(stability, Margins) else "",
        }
        found = cls(
            **others | {name: number(name) for name in cls.__dataclass_fields__ if name not in others}
        )
        if found.margin is None and found.critical_delay is not None and found.lateness is not None:
            return replace(found, margin=found.critical_delay - found.lateness)
        return found

    @property
    def lateness(self) -> float | None:
        """All delay between demand and force [s], where that of the rig is known."""
        if self.delay is None:
            return None
        return self.delay + sum(
            part or 0.0 for part in (self.sensor_delay, self.command_hold, self.half_tick)
        )

    @property
    def stable(self) -> bool | None:
        """Whether the loop is stable; None where the analysis did not say."""
        if self.growth_rate is not None:
            return self.growth_rate < 0
        return None if self.margin is None else self.margin > 0

    @property
    def near(self) -> bool:
        """Stable, with less than a fifth of the critical delay to spare."""
        if self.critical_delay is None or self.margin is None or math.isinf(self.critical_delay):
            return False
        return self.stable is not False and self.margin < NEAR * self.critical_delay


def completed(outcome: Outcome | None) -> bool | None:
    """Whether a run reached its end; None where its outcome does not say."""
    return None if outcome is None else outcome.completed


def ending(outcome: Outcome | None) -> str:
    """How a run ended, in its outcome's sentence."""
    return "The run does not say how it ended." if outcome is None else outcome.value


def held_all_the_same(margins: Margins, outcome: Outcome | None) -> bool:
    """Whether small motion grows by the analysis, and yet the run of a specimen that is not linear held."""
    return margins.stable is False and margins.near_rest and completed(outcome) is True


def tone(margins: Margins, outcome: Outcome | None) -> Tone:
    """Good, caution or bad."""
    if held_all_the_same(margins, outcome):
        return "caution"
    if margins.stable is False or completed(outcome) is False:
        return "bad"
    return "caution" if margins.near or margins.stable is None else "good"


def word(margins: Margins, outcome: Outcome | None) -> str:
    """The verdict in a word or two."""
    if held_all_the_same(margins, outcome):
        return "Held, with small motion unstable"
    if margins.stable is False:
        return "Unstable"
    if margins.near:
        return "Close to its limit"
    if completed(outcome) is False:
        return "Stopped"
    if margins.stable is None:
        return "Stability cannot be said" if margins.why else "Not analysed"
    return "Stable"


def verdict(
    margins: Margins, outcome: Outcome | None, comparison: Comparison | None = None, trip: Trip | None = None
) -> Verdict:
    """The verdict on one run."""
    clauses = [reason(margins)]
    if held_all_the_same(margins, outcome):
        clauses.append("That is for small motion about rest; the specimen is not linear, and the run held.")
    if completed(outcome) is not True or margins.stable is False:
        clauses.append("" if outcome is None else _sentence(outcome.value))
    if trip is not None:
        clauses.append(f"Stopped at {trip}.")
    if comparison is not None:
        clauses.append(_error(comparison, completed(outcome)))
    text = " ".join(clause for clause in clauses if clause)
    return Verdict(f"{word(margins, outcome)}: {text[:1].lower()}{text[1:]}", tone(margins, outcome))


def of_ideal(outcome: Outcome | None, trip: Trip | None = None) -> Verdict:
    """The verdict on a run without a rig: it is what others are held against."""
    text = f"{IDEAL}: no rig is in this run, so nothing in it is late."
    if completed(outcome) is not False:
        return Verdict(text)
    stopped = f" Stopped at {trip}." if trip is not None else ""
    return Verdict(f"{text} {ending(outcome)}{stopped}", "bad")


def ms(seconds: float) -> str:
    """A time in milliseconds, for reading."""
    return f"{1e3 * seconds:.3g} ms"


def reason(margins: Margins) -> str:
    """Why a loop is stable or not, in a sentence: its delays against the critical one."""
    if margins.critical_delay is None:
        if margins.growth_rate is None and margins.why:
            return f"{margins.why[:1].upper()}{margins.why[1:].rstrip('.')}."
        if margins.growth_rate is None:
            return "The stability of this loop was not analysed."
        return f"The loop {_grows(margins.growth_rate, margins.pole_frequency)}."
    if math.isinf(margins.critical_delay):
        return "No delay destabilises this loop."
    critical = f"the critical {ms(margins.critical_delay)}"
    if margins.lateness is None or margins.margin is None:
        return f"Its critical delay is {ms(margins.critical_delay)}; the rig's own delay is not known."
    parts = {
        "its force sensor's {}": margins.sensor_delay,
        "the {} of holding the command": margins.command_hold,
        "the {} of holding the force": margins.half_tick,
    }
    more = [text.format(ms(value)) for text, value in parts.items() if value]
    delay = f"The rig's delay of {ms(margins.delay or 0.0)}"
    late = f"{delay}{''.join(f', {text}' for text in more[:-1])} and {more[-1]}" if more else delay
    runs = _grows(margins.growth_rate or 0.0, margins.pole_frequency)
    if margins.lateness < margins.critical_delay:
        if margins.stable:
            what = (
                f"{ms(margins.margin)} of {critical}"
                if math.isfinite(margins.margin)
                else f"{critical} untouched"
            )
            return f"{late} {'leave' if more else 'leaves'} {what}."
        return f"{late} {'are' if more else 'is'} below {critical}, yet the loop as it runs {runs}."
    if margins.stable and margins.compensated:
        text = (
            f"The compensator makes up for the rig's delay of {ms(margins.delay or 0.0)}, beyond {critical}"
        )
        return f"{text}: the loop {runs}."
    if margins.stable and margins.island is not None:
        low, high = margins.island
        where = f"between {ms(low)} and {ms(high)}" if math.isfinite(high) else f"beyond {ms(low)}"
        return (
            f"{late} exceed{'' if more else 's'} {critical} and lie{'' if more else 's'} in an island of stable delays "
            f"{where}: the loop {runs}, and less delay would destabilise it."
        )
    exceed = f"{late} exceed{'' if more else 's'} {critical}"
    if margins.stable and margins.growth_rate is not None:
        return f"{exceed}, yet the loop as it runs {runs}."
    if margins.growth_rate is None:
        return f"{exceed}."
    return f"{exceed}; the loop {runs}."


def _grows(rate: float, frequency: float | None) -> str:
    at = f" at {frequency:.3g} Hz" if frequency else ""
    return f"{'grows' if rate >= 0 else 'decays'} at {abs(rate):.3g} 1/s{at}"


def _error(comparison: Comparison, done: bool | None) -> str:
    e1, e2 = float(np.nanmax(comparison.rms["e1"])), float(np.nanmax(comparison.rms["e2"]))
    until = "" if done is not False else " until then"
    local = f" (local error {100 * e2:.2g} %)" if e2 > 1e-5 else ""  # less is rounding
    return f"The rig changes the response by {100 * e1:.2g} % rms{until}{local}."


def _sentence(text: Any) -> str:
    text = str(text).strip()
    return text if not text or text[-1] in ".!?" else f"{text}."
