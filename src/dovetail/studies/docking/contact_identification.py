"""Identification of the contact from the twelve measured impacts: ranking of contact laws, fitted stiffness.

The source leaves both as future work. Result: the measured peaks of force and penetration are larger than the values
of all laws with their damping. The laws with least damping fit best, and a free fit gives no damping. PTFE is stiffer
than its modulus implies. The model of the test omits the compliance of the loaded stack and the start from rest over a
short air gap, so the deviation is not necessarily a property of the contact; a fit to peaks cannot separate these.
"""

from __future__ import annotations

import numpy as np

from dovetail.core.kinds import find
from dovetail.mechanics.contact import DissipativeLaw
from dovetail.studies.docking.contact_fit import ContactFit, MeasuredImpacts, fit_contact, peak_errors
from dovetail.studies.docking.impact_validation import law_names
from dovetail.studies.docking.scenarios import TESTBED, executed, experiments


def measured() -> dict[tuple[str, str], tuple[float, MeasuredImpacts]]:
    """Return the Hertz stiffness [N/m^1.5] and the measured impacts of each pair of materials."""
    rows = {row["scenario"]: row for row in experiments()["row"]}
    scenarios = list(enumerate(executed(), 1))
    impacts_by_pair = {}
    for pair in dict.fromkeys((s.body_1, s.body_2) for _, s in scenarios):
        members = [(number, s) for number, s in scenarios if (s.body_1, s.body_2) == pair]
        impacts_by_pair[pair] = (
            members[0][1].stiffness,
            MeasuredImpacts(
                mass=np.array([s.mass for _, s in members]),
                speed=np.array([s.speed for _, s in members]),
                force=np.array([rows[number]["force_N"]["h"] for number, _ in members]),
                depth=np.array([1e-6 * rows[number]["depth_um"]["h"] for number, _ in members]),
            ),
        )
    return impacts_by_pair


def rank_on_data(restitution: float = 0.8) -> list[tuple[str, float]]:
    """Return the laws with the rms of ln(simulated/measured) over all peaks, best first."""
    squares: dict[str, list[np.ndarray]] = {name: [] for name in law_names()}
    for stiffness, impacts in measured().values():
        for name in law_names():
            factor = float(find(name, DissipativeLaw)(stiffness=1.0).damping_factor(np.float64(restitution)))
            squares[name].append(peak_errors(impacts, TESTBED, stiffness, factor).ravel() ** 2)
    errors = {name: float(np.sqrt(np.mean(np.concatenate(values)))) for name, values in squares.items()}
    return sorted(errors.items(), key=lambda row: row[1])


def fit_pairs() -> dict[tuple[str, str], tuple[float, ContactFit]]:
    """Return the Hertz stiffness [N/m^1.5] and the fit to the measured peaks for each pair of materials."""
    return {
        pair: (stiffness, fit_contact(impacts, TESTBED, stiffness=stiffness))
        for pair, (stiffness, impacts) in measured().items()
    }
