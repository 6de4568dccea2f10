"""Events of a run for the time slider: contacts, phases, operator actions and limits reached."""

from __future__ import annotations

import json
from typing import Any

from dovetail import fidelity
from dovetail.core.errors import DovetailError

MAX_MARKS = 14  # marks that can be distinguished


def events_of(run: Any) -> list[tuple[float, str]]:
    """Return time [s] and name of each event, in order; of many contacts those with the largest force."""
    events = [*_phases(run), *_contacts(run)]
    for press in json.loads(run.recording.attrs.get("operator_events", "[]")):
        events.append((float(press["time"]), str(press["action"])))
    trip = getattr(run, "trip", None)
    if trip is not None:
        events.append((float(trip.time), f"{str(trip.signal).replace('_', ' ')} limit"))
    return sorted(events)


def _contacts(run: Any) -> list[tuple[float, str]]:
    if "penetration" not in run.recording:
        return []
    try:
        log = fidelity.impact_log(run.recording)
    except (DovetailError, KeyError):
        return []
    hardest = sorted(log, key=lambda impact: -impact.peak_force)[:MAX_MARKS]
    return [(impact.start, "contact") for impact in hardest]


def _phases(run: Any) -> list[tuple[float, str]]:
    if "platform_position" not in run.recording:
        return []
    from dovetail.mechanics.airframe.outcomes import phases

    listed = phases(run.test.numerical, run.recording)
    return [(phase.start, phase.name) for phase in listed if phase.start > 0][:MAX_MARKS]
