"""What happened in a run, and when: contacts, phases, presses and trips, as marks on the line of time."""

from __future__ import annotations

import json
from typing import Any

from dovetail import fidelity
from dovetail.core.errors import DovetailError

MOST = 14  # marks that can still be told apart


def events_of(run: Any) -> list[tuple[float, str]]:
    """Moments [s] and what happened then, in order; the hardest contacts where there are many."""
    found = [*_phases(run), *_contacts(run)]
    for press in json.loads(run.data.attrs.get("presses", "[]")):
        found.append((float(press["time"]), str(press["what"])))
    trip = getattr(run, "trip", None)
    if trip is not None:
        found.append((float(trip.time), f"{str(trip.signal).replace('_', ' ')} limit"))
    return sorted(found)


def _contacts(run: Any) -> list[tuple[float, str]]:
    if "depth" not in run.data:
        return []
    try:
        log = fidelity.impact_log(run.data)
    except (DovetailError, KeyError):
        return []
    hardest = sorted(log, key=lambda impact: -impact.peak_force)[:MOST]
    return [(impact.start, "contact") for impact in hardest]


def _phases(run: Any) -> list[tuple[float, str]]:
    if "platform_position" not in run.data:
        return []
    from dovetail.mechanics.airframe.outcomes import phases

    found = phases(run.test.system, run.data)
    return [(phase.start, phase.name) for phase in found if phase.start > 0][:MOST]
