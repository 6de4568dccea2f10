"""Flight with the rotor and the whole mission, computed again."""

from __future__ import annotations

import numpy as np

from dovetail.studies.shipboard.assembly import run
from dovetail.studies.shipboard.reproduce_contact import distances


def _airborne(data):
    return data["contact_force"].values[:, :, 1].sum(1) < 1.0


def up_and_down() -> list[float]:
    """RT-27: greatest thrust [N], lift-off and touch-down [s] without wind."""
    data = run("case-6-rotor")
    t = data.time.values
    off = t[np.argmax(_airborne(data) & (t > 3.0))]
    down = t[np.argmax(~_airborne(data) & (t > off + 0.5))]
    return [float(data["load_wrench"].values[:, 1].max()), float(off), float(down)]


def past_the_edge() -> float:
    """RT-29t: when the aircraft passes 5 m in a head-wind [s]."""
    data = run("case-6-head-wind")
    return float(data.time.values[np.argmax(data["displacement"].values[:, 0] > 5.0)])


def levelled() -> list[bool]:
    """RT-30t: roll before the cyclic comes, and half a second after."""
    data = run("case-6-cyclic")
    roll = data["attitude_angles"].sel(time=[6.9, 7.6], method="nearest").values[:, 0]
    return [bool(roll[0] < 0), bool(roll[1] > 0)]


def mission() -> list[bool]:
    """RT-36: the time line of the whole mission."""
    data = run("case-8")
    t = data.time.values
    touched = ~_airborne(data)
    apart = distances("case-8")
    held = (t > 10.0) & (t < 42.0)
    return [
        bool(6.0 < t[np.argmax(touched)] < 7.2),
        bool(np.all(touched[(t > 8.0) & (t < 42.0)])),
        bool(np.ptp(apart[held], axis=0).max() < 5e-3),
        bool(np.all(~touched[t > 45.0])),
    ]
