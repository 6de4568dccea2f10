"""The verdict on a run in a sentence: would it work, did it, and how much did the rig change it?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.fidelity import Comparison
from dovetail.report.page import Tone, Verdict

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
    remarks: tuple[str, ...] = ()
    near_rest: bool = False  # the specimen is not linear: all this holds for small motion only

    @classmethod
    def of(cls, stability: Any) -> Margins:
        """From anything with some of these attributes; NaN and None are nothing said."""

        def number(name: str) -> float | None:
            value = getattr(stability, name, None)
            if value is None:
                return None
            value = np.asarray(value, dtype=float)
            # with several axes the least favourable one decides
            found = float(value.max() if name in ("delay", "growth_rate") else value.min())
            return None if math.isnan(found) else found

        names = [n for n in cls.__dataclass_fields__ if n not in ("remarks", "near_rest")]
        found = {name: number(name) for name in names}
        if found["margin"] is None and found["critical_delay"] is not None and found["delay"] is not None:
            found["margin"] = found["critical_delay"] - found["delay"] - (found["half_tick"] or 0.0)
        remarks = tuple(str(r) for r in getattr(stability, "remarks", ()) or ())
        return cls(**found, remarks=remarks, near_rest=bool(getattr(stability, "near_rest", False)))

    @property
    def stable(self) -> bool | None:
        """Whether the loop is stable; None where the analysis did not say."""
        if self.growth_rate is not None:
            return self.growth_rate < 0
        return None if self.margin is None else self.margin > 0

    @property
    def near(self) -> bool:
        """Stable, with less than a fifth of the critical delay to spare.

        Where a compensator makes up for a delay beyond the critical one, that delay tells no margin.
        """
        if self.growth_rate is not None and self.margin is not None and self.margin < 0:
            return False
        if self.critical_delay is None or self.margin is None or math.isinf(self.critical_delay):
            return False
        return self.stable is not False and self.margin < NEAR * self.critical_delay


def completed(outcome: Any) -> bool | None:
    """Whether a run reached its end; None where its outcome does not say."""
    found = getattr(outcome, "completed", None)
    return None if found is None else bool(found)


def _held_all_the_same(margins: Margins, outcome: Any) -> bool:
    """Whether small motion grows by the analysis, and yet the run of a specimen that is not linear held."""
    return margins.stable is False and margins.near_rest and completed(outcome) is True


def tone(margins: Margins, outcome: Any) -> Tone:
    """Good, caution or bad."""
    if _held_all_the_same(margins, outcome):
        return "caution"
    if margins.stable is False or completed(outcome) is False:
        return "bad"
    return "caution" if margins.near or margins.stable is None else "good"


def word(margins: Margins, outcome: Any) -> str:
    """The verdict in a word or two."""
    if _held_all_the_same(margins, outcome):
        return "Held, with small motion unstable"
    if margins.stable is False:
        return "Unstable"
    if margins.near:
        return "Close to its limit"
    if completed(outcome) is False:
        return "Stopped"
    return "Not analysed" if margins.stable is None else "Stable"


def verdict(
    margins: Margins, outcome: Any, comparison: Comparison | None = None, trip: Any = None
) -> Verdict:
    """The verdict on one run."""
    clauses = [_reason(margins)]
    if _held_all_the_same(margins, outcome):
        clauses.append("That is for small motion about rest; the specimen is not linear, and the run held.")
    if completed(outcome) is not True or margins.stable is False:
        clauses.append(_sentence(getattr(outcome, "value", outcome)))
    if trip is not None:
        clauses.append(f"Stopped at {trip}.")
    if comparison is not None:
        clauses.append(_error(comparison, completed(outcome)))
    text = " ".join(clause for clause in clauses if clause)
    return Verdict(f"{word(margins, outcome)}: {text[:1].lower()}{text[1:]}", tone(margins, outcome))


def ms(seconds: float) -> str:
    """A time in milliseconds, for reading."""
    return f"{1e3 * seconds:.3g} ms"


def _reason(margins: Margins) -> str:
    if margins.critical_delay is None:
        if margins.growth_rate is None:
            return "The stability of this loop was not analysed."
        return f"The loop {_grows(margins.growth_rate, margins.pole_frequency)}."
    if math.isinf(margins.critical_delay):
        return "No delay destabilises this loop."
    critical = f"the critical {ms(margins.critical_delay)}"
    if margins.delay is None or margins.margin is None:
        return f"Its critical delay is {ms(margins.critical_delay)}; the rig's own delay is not known."
    held = f" and the {ms(margins.half_tick)} of holding the force" if margins.half_tick else ""
    if margins.margin >= 0 and margins.stable:
        leaves = "leave" if held else "leaves"
        return f"The rig's delay of {ms(margins.delay)}{held} {leaves} {ms(margins.margin)} of {critical}."
    if margins.margin >= 0:
        text = f"The rig's delay of {ms(margins.delay)} is below {critical}, yet the loop as it runs"
        return f"{text} {_grows(margins.growth_rate or 0.0, margins.pole_frequency)}."
    if margins.stable:
        text = f"The compensator makes up for the rig's delay of {ms(margins.delay)}, beyond {critical}"
        decays = _grows(margins.growth_rate or 0.0, margins.pole_frequency)
        return f"{text}: the loop {decays}."
    exceed = f"The rig's delay of {ms(margins.delay)}{held} exceed{'' if held else 's'} {critical}"
    if margins.growth_rate is None:
        return f"{exceed}."
    return f"{exceed}; the loop {_grows(margins.growth_rate, margins.pole_frequency)}."


def _grows(rate: float, frequency: float | None) -> str:
    at = f" at {frequency:.3g} Hz" if frequency else ""
    return f"{'grows' if rate >= 0 else 'decays'} at {abs(rate):.3g} 1/s{at}"


def _error(comparison: Comparison, done: bool | None) -> str:
    e1, e2 = float(np.nanmax(comparison.rms["e1"])), float(np.nanmax(comparison.rms["e2"]))
    until = "" if done is not False else " until then"
    return f"The rig changes the response by {100 * e1:.2g} % rms{until} (local error {100 * e2:.2g} %)."


def _sentence(text: Any) -> str:
    text = str(text).strip()
    return text if not text or text[-1] in ".!?" else f"{text}."
