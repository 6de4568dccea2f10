"""What the twelve measured impacts say about the contact: which law foretells them, what stiffness they had.

The source leaves both as future work. What comes out: measured peaks of force and depth are larger than any
law gives with its damping; the best of them are those that damp least, and a free fit wants none at all.
PTFE is stiffer than its modulus says. The model of the test leaves out the stack that yields under load and
the start from rest over a short air gap, so this need not be the contact's doing: a fit to peaks cannot tell.
"""

from __future__ import annotations

import numpy as np

from dovetail.core.kinds import find
from dovetail.mechanics.contact import Dissipative
from dovetail.studies.docking.contact_fit import ContactFit, MeasuredImpacts, fit_contact, peak_errors
from dovetail.studies.docking.impact_validation import law_names
from dovetail.studies.docking.scenarios import TESTBED, executed, experiments


def measured() -> dict[tuple[str, str], tuple[float, MeasuredImpacts]]:
    """Hertz's stiffness [N/m^1.5] and the measured impacts of each pair of materials."""
    rows = {row["scenario"]: row for row in experiments()["row"]}
    scenarios = list(enumerate(executed(), 1))
    found = {}
    for pair in dict.fromkeys((s.body_1, s.body_2) for _, s in scenarios):
        members = [(number, s) for number, s in scenarios if (s.body_1, s.body_2) == pair]
        found[pair] = (
            members[0][1].stiffness,
            MeasuredImpacts(
                mass=np.array([s.mass for _, s in members]),
                speed=np.array([s.speed for _, s in members]),
                force=np.array([rows[number]["force_N"]["h"] for number, _ in members]),
                depth=np.array([1e-6 * rows[number]["depth_um"]["h"] for number, _ in members]),
            ),
        )
    return found


def rank_on_data(restitution: float = 0.8) -> list[tuple[str, float]]:
    """Laws by the rms of ln(simulated/measured) over all peaks of force and depth, best first."""
    squares: dict[str, list[np.ndarray]] = {name: [] for name in law_names()}
    for stiffness, impacts in measured().values():
        for name in law_names():
            factor = float(find(name, Dissipative)(stiffness=1.0).damping_factor(np.float64(restitution)))
            squares[name].append(peak_errors(impacts, TESTBED, stiffness, factor).ravel() ** 2)
    found = {name: float(np.sqrt(np.mean(np.concatenate(values)))) for name, values in squares.items()}
    return sorted(found.items(), key=lambda row: row[1])


def fit_pairs() -> dict[tuple[str, str], tuple[float, ContactFit]]:
    """For each pair of materials: Hertz's stiffness [N/m^1.5] and what the measured peaks say."""
    return {
        pair: (stiffness, fit_contact(impacts, TESTBED, stiffness=stiffness))
        for pair, (stiffness, impacts) in measured().items()
    }
