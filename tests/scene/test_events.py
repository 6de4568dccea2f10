"""Events on the time slider."""

import json
from types import SimpleNamespace

import numpy as np
import xarray as xr

from dovetail.core.recording import Recording
from dovetail.scene.events import MAX_MARKS, events_of
from dovetail.testing.outcome import Trip


def recorded(count):
    """So many bursts of contact, one a second, each deeper than the one before."""
    t = np.arange(0, count + 1, 0.01)
    depth = np.where(t % 1 < 0.2, np.sin(np.pi * (t % 1) / 0.2) * (1 + t), -0.1) * (t >= 1)
    v = np.gradient(depth, t)
    about = {"operator_events": json.dumps([{"time": 0.5, "action": "hold"}])}
    return xr.Dataset(
        {
            "penetration": ("time", 1e-3 * depth),
            "feedback_force": ("time", -1e3 * np.maximum(depth, 0)),
            "velocity": ("time", v),
        },
        {"time": t},
        about,
    )


def test_contacts_presses_and_trips_are_marked_in_order():
    trip = Trip("measured_force", 2.0, 1.0, 3.9, "N")
    found = events_of(SimpleNamespace(recording=Recording.from_dataset(recorded(3)), trip=trip))
    times, words = zip(*found, strict=True)
    assert list(times) == sorted(times)
    assert words[0] == "hold"
    assert words[-1] == "measured force limit"
    assert words.count("contact") >= 2


def test_of_many_contacts_the_hardest_are_marked():
    found = [
        t
        for t, what in events_of(SimpleNamespace(recording=Recording.from_dataset(recorded(30)), trip=None))
        if what == "contact"
    ]
    assert len(found) == MAX_MARKS
    assert min(found) > 30 - MAX_MARKS - 1


def test_a_run_without_events_has_no_marks():
    data = xr.Dataset({"displacement": ("time", np.zeros(3))}, {"time": np.arange(3.0)})
    assert events_of(SimpleNamespace(recording=Recording.from_dataset(data), trip=None)) == []
