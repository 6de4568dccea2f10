"""What a reader wants to know first of a run, in three answers: what happened, is it stable, can it be believed?

A colour is a judgement, so it needs something to be held against: a limit that stopped the run, a margin that is left,
what the test says it accepts (`[accept]`). Where there is nothing, the answer is said without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from dovetail import fidelity
from dovetail.core import roles, signals
from dovetail.core.errors import DovetailError
from dovetail.core.si_prefix import si_prefix
from dovetail.fidelity.acceptance import Demand, judged, shown
from dovetail.report import verdict as verdicts
from dovetail.report.judged import Judged
from dovetail.report.operator_section import late_or_lost
from dovetail.report.page import Tile, Tone
from dovetail.report.page_subject import Reported
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.run import Run

HAPPENED, STABLE, BELIEVED = "What happened?", "Is it stable?", "Can it be believed?"
PEAKS = (
    ("displacement", "largest motion"),
    ("measured_force", "largest force"),
    ("tension", "largest tension"),
)
SHORT = 60  # characters of what is told at once
MEASURES = 3  # of a simulated system that are told at once
UNASKED = "The test says nothing of what it accepts."


def rehearsed(view: Judged) -> list[Tile]:
    """Of a run with a rig."""
    return [happened(view.run, view.data, view.outcome, view.trip), _stable(view), _believed(view)]


def simulated(run: Run) -> list[Tile]:
    """Of a simulation without a rig."""
    text = "Nothing is fed back by a rig, so there is no delay that could make it unstable."
    stable = Tile(STABLE, "There is no loop", text)
    return [happened(run, run.data, run.outcome, run.trip), stable, _adds_up(run)]


def crept(run: Run) -> list[Tile]:
    """Of a test in expanded time."""
    text = "Each force is read at rest before the next step is computed: no delay acts in the loop."
    stable = Tile(STABLE, "Not a question of delay", text)
    return [happened(run, run.data, run.outcome, run.trip), stable, _adds_up(run)]


# what happened


def happened(
    run: Run | Reported, data: xr.Dataset, outcome: Outcome | None, trip: Trip | None = None
) -> Tile:
    """How it ended, its impacts, its largest motion and force."""
    sentence = verdicts.ending(outcome)
    answer, _, rest = sentence.rstrip(".").partition(": ")
    answer, _, why = answer.partition(", so ")
    answer, _, more = answer.partition("; ")
    rest = more or rest
    measures = _measures(run, data)
    facts = [f"{rest[:1].upper()}{rest[1:]}"] if rest else []
    facts += [f"Met: {trip}"] if trip is not None else []
    facts += [part for part in (_impacts(data), _measured(measures) or _peaks(data)) if part]
    if data.sizes["time"] > 1:
        facts.append(f"{float(data.time[-1] - data.time[0]):.4g} s recorded")
    if link := late_or_lost(data):
        facts.append(link.rstrip("."))
    done = verdicts.completed(outcome)
    if outcome is Outcome.FINISHED and run.mode == "simulate":
        own = measures.get("outcome", "").partition(":")
        answer = f"It {own[0]}" if own[0] else "The simulation ran to its end"
        facts[:0] = [f"{own[2].strip()[:1].upper()}{own[2].strip()[1:]}"] if own[2] else []
    return Tile(
        HAPPENED, answer, ". ".join(facts) + ("." if facts else ""), "bad" if done is False else "plain"
    )


def _impacts(data: xr.Dataset) -> str:
    if "depth" not in data:
        return ""
    try:
        found = fidelity.impact_log(data)
    except (DovetailError, KeyError):
        return ""
    if not found:
        return "Nothing touched"
    factor, unit = si_prefix([max(i.peak_force for i in found)], "N")
    most = factor * max(i.peak_force for i in found)
    return f"{len(found)} contact{'s' if len(found) > 1 else ''}, the hardest of {most:.3g} {unit}"


def _measures(run: Run | Reported, data: xr.Dataset) -> dict[str, str]:
    """What a simulated system has to say of its run."""
    return {} if run.test is None else roles.measured(run.test.numerical, data)


def _measured(measures: dict[str, str]) -> str:
    """The first and short of it."""
    told = [f"{name} {text}" for name, text in measures.items() if name != "outcome" and len(text) <= SHORT]
    text = "; ".join(told[:MEASURES])
    return f"{text[:1].upper()}{text[1:]}"


def _peaks(data: xr.Dataset) -> str:
    """Largest motion and force; on several axes of lengths and forces alone."""
    told = []
    for name, what in PEAKS:
        if name not in data or not data[name].size or (name == "displacement" and "node_position" in data):
            continue
        values = data[name].transpose("time", ...).values
        if "axis_kind" in data.coords and values.ndim > 1:
            values = values[:, data.axis_kind.values == "length"]
        if not values.size:
            continue
        most = float(np.nanmax(np.abs(values)))
        most = float(np.max(data[name].attrs.get("largest", most))) if values.ndim == 1 else most
        unit = signals.signal(name).unit
        factor, unit = si_prefix([most], unit)
        told.append(f"{what} {factor * most:.3g} {unit}")
    text = ", ".join(told)
    return f"{text[:1].upper()}{text[1:]}"


# is it stable


def _stable(view: Judged) -> Tile:
    margins, outcome = view.margins, view.outcome
    if view.rigless:
        text = "Nothing in this run is late."
        if margins.stable is not None:
            text += f" On its rig: {verdicts.word(margins, None).lower()}. {verdicts.reason(margins)}"
        return Tile(STABLE, "There is no rig in it", text)
    if margins.stable is None and margins.critical_delay is None:
        return Tile(STABLE, "Cannot be said", verdicts.reason(margins))
    word = verdicts.word(margins, None)
    tone: Tone = verdicts.tone(margins, None)
    text = verdicts.reason(margins)
    if verdicts.held_all_the_same(margins, outcome):
        word, tone = "For small motion not, yet it held", "caution"
        text += " The specimen is not linear."
    elif margins.near_rest:
        text += " That is for small motion about rest: the specimen is not linear."
    return Tile(STABLE, word, text, tone)


# can it be believed


def _believed(view: Judged) -> Tile:
    if view.rigless:
        text = "Both parts are coupled as they are in the whole machine; runs on a rig are held against this."
        return Tile(BELIEVED, "It is the ideal", text)
    asked = judged(view.accept, view.comparison, view.margins, view.data)
    text = _against_ideal(view)
    if asked:
        return _judged(asked, text)
    found = view.comparison
    if found is None:
        return Tile(BELIEVED, "Nothing to hold it against", f"{text} {UNASKED}".strip())
    if _other_end(view):
        return Tile(BELIEVED, "It ends otherwise than the ideal", f"{text} {UNASKED}")
    return Tile(BELIEVED, f"{_share(_most(found.rms['e1']))} off the ideal", f"{text} {UNASKED}")


def _judged(asked: Sequence[Demand], text: str) -> Tile:
    """By what the test accepts: bad where something is not met, caution where something could not be told."""
    missed = [demand for demand in asked if demand.met is False]
    unknown = [demand for demand in asked if demand.met is None]
    told = "; ".join(str(demand) for demand in (missed + unknown or asked))
    told = f"{told[:1].upper()}{told[1:]}. {text}".strip()
    if missed:
        return Tile(BELIEVED, f"No: {len(missed)} of {len(asked)} asked not met", told, "bad")
    if unknown:
        return Tile(BELIEVED, f"{len(unknown)} of {len(asked)} asked cannot be told", told, "caution")
    return Tile(BELIEVED, "Yes, by what the test asks", told, "good")


def _against_ideal(view: Judged) -> str:
    """Errors in a sentence: how far off the response is, on which axis, and how well the rig follows."""
    found = view.comparison
    if found is None:
        return "There is no ideal to hold this run against."
    e1, e2 = (np.ravel(found.rms[name]) for name in ("e1", "e2"))
    if not np.isfinite(e1).any():
        return "The ideal does not move, so no error can be said."
    names, worst = view.axis_names(), int(np.nanargmax(e1))
    on = f" on axis {names[worst]}, where it is most" if len(names) > 1 else ""
    until = " until then" if verdicts.completed(view.outcome) is False else ""
    text = f"The rig changes the response by {_share(e1[worst])} rms{on}{until}"
    text += f", and follows the demand to within {_share(_most(e2))}." if _most(e2) > 1e-4 else "."
    if _other_end(view):
        ideal = verdicts.ending(view.ideal_end).rstrip(".")
        text = f"The ideal ends so: {ideal[:1].lower()}{ideal[1:]}. {text}"
    return text


def _other_end(view: Judged) -> bool:
    """Whether run and ideal come to different events, such as docked and left."""
    ends = (view.ideal_end, view.outcome)
    return all(verdicts.completed(end) for end in ends) and ends[0] is not ends[1]


def _adds_up(run: Run) -> Tile:
    """What a run without an ideal says of itself: whether its books add up."""
    books = fidelity.audit(run)
    rows = [
        row for row in books.rows() if not (np.isfinite(books.energy_share) and row[0].startswith("energy"))
    ]
    text = "; ".join(f"{name} {value}" for name, value in rows)
    text = f"{text[:1].upper()}{text[1:]}." if text else ""
    asked = judged(run.test.accept, data=run.data)
    if asked:
        return _judged(asked, text)
    if np.isfinite(books.energy_share):
        share = _share(books.energy_share)
        text = (
            f"What is missing is {books.energy:.2g} J, {share} of the largest kinetic energy. {text}".strip()
        )
        return Tile(BELIEVED, f"Energy adds up to within {share}", f"{text} {UNASKED}")
    if rows:
        return Tile(BELIEVED, "Its books are kept", f"{text} {UNASKED}")
    more = "It kept no books of its energy; run it at twice the rate and compare the two."
    return Tile(BELIEVED, "Nothing to hold it against", more)


def _most(value: Any) -> float:
    return float(np.nanmax(np.atleast_1d(np.asarray(value, float))))


def _share(value: float) -> str:
    return shown(value, "1")
