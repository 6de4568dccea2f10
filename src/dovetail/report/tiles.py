"""Summary tiles at the top of a report: outcome, stability, accuracy.

A colour needs a criterion: a limit that stopped the run, the tolerance of the energy balance, the delay margin, or the
acceptance criteria of the test (`[accept]`, or the default criteria of `fidelity.acceptance`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail import fidelity
from dovetail.core import roles
from dovetail.core.energy_balance import EnergyBalance
from dovetail.core.errors import value_or_none
from dovetail.core.quantities import QUANTITIES
from dovetail.core.recording import Recording
from dovetail.fidelity.acceptance import DEFAULT_SOURCE, Criterion, evaluate_criteria, overall_tone
from dovetail.fidelity.largest import largest_values
from dovetail.report import verdict as verdicts
from dovetail.report.judged import Judged
from dovetail.report.operator_section import late_or_lost
from dovetail.report.page import Tile, Tone
from dovetail.report.page_subject import Reported
from dovetail.testing.modes import mode_named
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.run import Run

OUTCOME, STABILITY, ACCURACY = "Outcome", "Stability", "Accuracy"
SHORT = 60  # [characters] longest result shown in a tile
MEASURES = 3  # results of a simulated system shown in a tile


def hybrid_tiles(view: Judged) -> list[Tile]:
    """Return the tiles of a run with a rig."""
    return [
        outcome_tile(view.run, view.data, view.outcome, view.trip),
        _stability_tile(view),
        accuracy_tile(view),
    ]


def simulation_tiles(run: Run) -> list[Tile]:
    """Return the tiles of a simulation without a rig."""
    text = "No feedback from a rig: delay cannot destabilise the simulation."
    stable = Tile(STABILITY, "Open loop", text)
    return [outcome_tile(run, run.recording, run.outcome, run.trip), stable, _audit_tile(run)]


def pseudodynamic_tiles(run: Run) -> list[Tile]:
    """Return the tiles of a pseudo-dynamic test."""
    text = (
        "Each force is measured at rest before the next step is computed: delay cannot destabilise the loop."
    )
    stable = Tile(STABILITY, "Delay not applicable", text)
    return [outcome_tile(run, run.recording, run.outcome, run.trip), stable, _audit_tile(run)]


# outcome


def outcome_tile(
    run: Run | Reported, data: Recording, outcome: Outcome | None, trip: Trip | None = None
) -> Tile:
    """Return the tile with the outcome, the contacts and the largest motion and force."""
    sentence = verdicts.ending(outcome)
    answer, _, rest = sentence.rstrip(".").partition(": ")
    answer, _, more = answer.partition("; ")
    rest = more or rest
    measures = {} if run.test is None else roles.measured_values(run.test.numerical, data)
    facts = [f"{rest[:1].upper()}{rest[1:]}"] if rest else []
    facts += [f"Limit reached: {trip}"] if trip is not None else []
    facts += [part for part in (_impacts(data), _first_results(measures) or _peaks(data)) if part]
    if data.sizes["time"] > 1:
        facts.append(f"{np.ptp(data.time.values):.4g} s recorded")
    if link := late_or_lost(data):
        facts.append(link.rstrip("."))
    done = verdicts.completed(outcome)
    if outcome is Outcome.FINISHED and not mode_named(run.mode).has_rig:
        own = measures.get("outcome", "").partition(":")
        answer = f"Finished: {own[0]}" if own[0] else "Finished"
        facts[:0] = [f"{own[2].strip()[:1].upper()}{own[2].strip()[1:]}"] if own[2] else []
    if open_energy := _open_energy(run):
        answer, facts[:0] = f"{answer}; energy does not close", [str(open_energy).rstrip(".")]
    bad = done is False or open_energy is not None
    return Tile(OUTCOME, answer, ". ".join(facts) + ("." if facts else ""), "bad" if bad else "plain")


def _open_energy(run: Run | Reported) -> EnergyBalance | None:
    """Return the energy balance of a run if it does not close."""
    balance = run.energy_balance if isinstance(run, Run) else None
    return None if balance is None or balance.closes else balance


def _impacts(data: Recording) -> str:
    if "penetration" not in data:
        return ""
    impacts = value_or_none(lambda: fidelity.impact_log(data))
    if not impacts:
        return "" if impacts is None else "No contact"
    peak = QUANTITIES["peak_contact_force"]
    text = peak.text(max(impact.peak_force for impact in impacts))
    return f"{len(impacts)} contact{'s' if len(impacts) > 1 else ''}, {peak.name} {text}"


def _first_results(measures: dict[str, str]) -> str:
    """Return the first short results as a sentence."""
    results = [
        f"{name} {text}" for name, text in measures.items() if name != "outcome" and len(text) <= SHORT
    ]
    text = "; ".join(results[:MEASURES])
    return f"{text[:1].upper()}{text[1:]}"


def _peaks(data: Recording) -> str:
    """Return the largest motion, force and tension as a sentence."""
    text = ", ".join(f"{name} {value}" for name, value in largest_values(data).items())
    return f"{text[:1].upper()}{text[1:]}"


# stability


def _stability_tile(view: Judged) -> Tile:
    margins, outcome = view.margins, view.outcome
    if view.is_reference:
        text = "No delay acts in this run."
        if margins.stable is not None:
            text += f" With its rig: {verdicts.word(margins, None).lower()}. {verdicts.reason(margins)}"
        return Tile(STABILITY, "No rig in this run", text)
    if margins.stable is None and margins.critical_delay is None and margins.contacts is None:
        return Tile(STABILITY, "Not determined", verdicts.reason(margins))
    word = verdicts.word(margins, None)
    tone: Tone = verdicts.tone(margins, None)
    text = verdicts.reason(margins)
    if margins.contacts is not None and margins.contacts.gains and view.comparison is not None:
        energy = QUANTITIES["added_energy_fraction"]
        text += (
            f" {energy.name[:1].upper()}{energy.name[1:]} {view.comparison.text('added_energy_fraction')}."
        )
    if verdicts.completed_despite_linear_instability(margins, outcome):
        word, tone = "Linear analysis: unstable; run: stable", "caution"
        text += " The specimen is nonlinear."
    return Tile(STABILITY, word, text, tone)


# accuracy


def accuracy_tile(view: Judged) -> Tile:
    """Return the accuracy of a run by its acceptance criteria."""
    if view.is_reference:
        text = (
            "The specimen model is coupled directly, without a rig. Runs on a rig are compared with this run."
        )
        return Tile(ACCURACY, "Reference solution", text)
    text = _error_text(view)
    if view.criteria:
        return _criteria_tile(view.criteria, text, "" if view.accept is None else view.accept.reason)
    if view.comparison is None:
        return Tile(ACCURACY, "No reference", text)
    return Tile(ACCURACY, "Not determined", text, "caution")


def _criteria_tile(criteria: Sequence[Criterion], text: str, reason: str) -> Tile:
    """Return the accuracy tile by the acceptance criteria: those that are not met, then those without a value."""
    missed = [demand for demand in criteria if demand.is_satisfied is False]
    unknown = [demand for demand in criteria if demand.is_satisfied is None]
    source = DEFAULT_SOURCE if any(demand.is_default for demand in criteria) else reason
    details = "; ".join(map(str, missed + unknown or criteria))
    sentences = [details, text.rstrip("."), f"Limits: {source}" if source else ""]
    details = " ".join(f"{each[:1].upper()}{each[1:]}." for each in sentences if each)
    answer = f"All {len(criteria)} criteria met"
    if len(criteria) == 1 and not unknown and criteria[0].outcomes is None:
        answer = f"{criteria[0].quantity} {criteria[0].value_text}"
        answer = f"{answer[:1].upper()}{answer[1:]}"
    elif missed:
        answer = f"{len(missed)} of {len(criteria)} criteria not met"
    elif unknown:
        answer = f"{len(unknown)} of {len(criteria)} criteria not evaluated"
    return Tile(ACCURACY, answer, details, overall_tone(criteria))


def _error_text(view: Judged) -> str:
    """Return the errors as a sentence: response error, on which axis, and tracking error of the rig."""
    comparison = view.comparison
    if comparison is None:
        return "No reference solution for this test."
    if not np.isfinite(comparison.largest("rms.e1")):
        return "The reference does not move: relative errors are not defined."
    names, worst = view.axis_names(), int(np.nanargmax(np.ravel(comparison.rms["e1"])))
    on = f" on axis {names[worst]} (largest)" if len(names) > 1 else ""
    until = " up to the stop" if verdicts.completed(view.outcome) is False else ""
    text = f"Response error {comparison.text('rms.e1')} rms{on}{until}"
    text += f", tracking error {comparison.text('rms.e2')}."
    if _different_outcome(view):
        reference = verdicts.ending(view.reference_outcome).rstrip(".")
        if view.reference_outcome is Outcome.FINISHED and view.reference is not None:
            reference = f"no such event until the end of the test at {view.reference.last_time:.4g} s"
        text = f"Outcome of the reference: {reference[:1].lower()}{reference[1:]}. {text}"
    return text


def _different_outcome(view: Judged) -> bool:
    """Return whether run and reference end with different events, such as docked and separated."""
    ends = (view.reference_outcome, view.outcome)
    return all(verdicts.completed(end) for end in ends) and ends[0] is not ends[1]


def _audit_tile(run: Run) -> Tile:
    """Return the accuracy tile of a run without a reference: its energy and momentum audit."""
    audit = fidelity.audit(run)
    text = "; ".join(f"{name} {value}" for name, value in audit.rows())
    text = f"{text[:1].upper()}{text[1:]}." if text else ""
    if open_energy := _open_energy(run):
        return Tile(ACCURACY, "Energy does not close", f"{open_energy} {text}".strip(), "bad")
    criteria = evaluate_criteria(run.test.accept, run, outcome=run.outcome)
    if criteria:
        return _criteria_tile(criteria, text, "" if run.test.accept is None else run.test.accept.reason)
    if text:
        return Tile(ACCURACY, "Energy balance not available", text)
    more = "The run recorded no energies. Run it again at twice the rate and compare the two runs."
    return Tile(ACCURACY, "No reference", more)
