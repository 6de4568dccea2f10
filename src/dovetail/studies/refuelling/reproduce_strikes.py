"""Targets of strikes on a drogue in flight: the full-scale and the scaled refuelling test."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from dovetail.air.receiver import Receiver, StopInTime
from dovetail.mechanics.chain import FixedReel
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.friction import Brush
from dovetail.specimens.funnel import LEAD_IN, Funnel
from dovetail.specimens.scaled_specimen import ScaledSpecimen
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.refuelling.funnel_strike import Strike
from dovetail.studies.refuelling.reproduce import _no_force, march, pulsed

LIMIT = 400.0  # [N m]
NAMES = (
    "force",
    "drogue_attitude_change",
    "tow_tension",
    "end_tension",
    "contact_zone",
    "latched",
    "drogue_position",
    "ball_joint_position",
)


# the full-scale test


@cache
def full_scale(offset: float, reel: bool = True) -> dict[str, np.ndarray]:
    """Simulate one strike of 1.2 s at an offset [m], recorded every 0.25 ms; time zero is the first contact."""
    hose = drogue_hose() if reel else drogue_hose(reel=FixedReel())
    flow = Strike.at(hose, Funnel(), offset=offset, speed=1.5, incidence=0.0)
    records = {n: np.asarray(v) for n, v in march(flow, _no_force, 2.5e-4, 4800, NAMES).items()}
    touched = int(np.argmax(records["contact_zone"] > 0))
    latched = np.flatnonzero(records["latched"] > 0.5)
    until = int(latched[0]) + 1 if latched.size else 4800
    return records | {"time": 2.5e-4 * (np.arange(4800) - touched), "until": np.asarray(until)}


def _coupling(offset: float, name: str, **options) -> np.ndarray:
    run = full_scale(offset, **options)
    return run[name][: int(run["until"])]


def tips() -> list[float]:
    """RT-36 to RT-38: largest attitude change until latched at 50, 100, 200 mm [deg]."""
    return [
        float(np.degrees(np.abs(_coupling(o, "drogue_attitude_change")[:, 0]).max()))
        for o in (0.05, 0.1, 0.2)
    ]


def held_until_engaged() -> list[bool]:
    """RT-39: at 50 and 100 mm the moment stays within the limit until the nozzle is latched."""
    return [bool(np.all(np.abs(_coupling(o, "force")[:, 4]) <= LIMIT)) for o in (0.05, 0.1)]


def trips_at_the_transition() -> bool:
    """RT-39: at 200 mm the limit is first exceeded in the lead-in of the coupling."""
    over = np.abs(_coupling(0.2, "force")[:, 4]) > LIMIT
    return bool(over.any() and _coupling(0.2, "contact_zone")[np.argmax(over)] == LEAD_IN)


def far_strike_fails() -> bool:
    """RT-39: without the limit, the strike at 200 mm does not latch."""
    return not bool(full_scale(0.2)["latched"].max() > 0.5)


def strike_table() -> list[float]:
    """Table of the fit by offset: peak moment [N m], minimum and maximum tension [N], contact to latch [s]."""
    rows = []
    for offset in (0.05, 0.1, 0.2):
        tension = _coupling(offset, "end_tension")
        rows += [
            float(np.abs(_coupling(offset, "force")[:, 4]).max()),
            float(tension.min()),
            float(tension.max()),
            float(_coupling(offset, "time")[-1]),
        ]
    return rows


def forward_motion() -> float:
    """RT-40: motion of the drogue along x over its motion along z, at 100 mm."""
    place = _coupling(0.1, "drogue_position")
    x, z = np.ptp(place[:, 0]), np.ptp(place[:, 2])
    return float(x / z)


def vertical_motion() -> list[bool]:
    """RT-41: the centre of mass of the drogue first moves down by 1 mm, then up, which aligns it with the probe."""
    place = _coupling(0.2, "drogue_position")[:, 2]
    return [bool((place - place[0]).min() < -1e-3), bool((place - place[0]).max() > 0.1)]


def out_of_plane() -> float:
    """RT-42: motion of the drogue along y over its motion along z, at 200 mm."""
    place = _coupling(0.2, "drogue_position")
    return float(np.ptp(place[:, 1]) / np.ptp(place[:, 2]))


def tension_shape() -> list[bool]:
    """RT-43: tension drops at contact by more than 10 %, then exceeds its initial value; at 50 and 100 mm."""
    flags = []
    for offset in (0.05, 0.1):
        tension = _coupling(offset, "end_tension")
        flags += [bool(tension.min() < 0.9 * tension[0]), bool(tension.max() > tension[0])]
    return flags


def reel_effect() -> float:
    """RT-44: relative change of the largest attitude change by the reel; largest of the three offsets."""
    worst = 0.0
    for offset in (0.05, 0.1, 0.2):
        on, off = (
            np.abs(_coupling(offset, "drogue_attitude_change", reel=r)[:, 0]).max() for r in (True, False)
        )
        worst = max(worst, abs(float(on - off)) / float(off))
    return worst


def central_hits() -> list[bool]:
    """LATCH: a central strike at 1, 1.5 and 0.5 m/s is latched within 2 s."""
    latches = []
    for speed in (1.0, 1.5, 0.5):
        flow = Strike.at(drogue_hose(), Funnel(), offset=0.0, speed=speed, incidence=0.0)
        latches.append(bool(np.max(march(flow, _no_force, 2.5e-4, 8000, ("latched",))["latched"]) > 0.5))
    return latches


# the scaled test


@cache
def scaled() -> dict[str, np.ndarray]:
    """Simulate the scaled strike, 4.5 s: just below the rim at 12 o'clock, stopped within 0.5 s."""
    receiver = Receiver(offset=0.25, start=0.75, approach=StopInTime(free_distance=0.09))
    hose = drogue_hose(reel=FixedReel(), receiver=receiver)
    # the small drogue: lengths scaled by 1/5, stiffness by 1/60; its stiffness was fitted to the attitude change
    full = Funnel()
    small = dataclasses.replace(
        full,
        initial_position=receiver.initial_pose.p / 5,
        depths=full.depths / 5,
        radii=full.radii / 5,
        rim_radius=full.rim_radius / 5,
        memory_distance=full.memory_distance / 5,
        latch_reach=full.latch_reach / 5,
        law=KelvinVoigt(5e4 / 60, tension="clamped"),
        friction=Brush(mu=0.3, presliding_distance=full.memory_distance / 5),
    )
    flow = Strike(hose, ScaledSpecimen(small))
    records = {n: np.asarray(v) for n, v in march(flow, _no_force, 5e-4, 9000, NAMES).items()}
    touched = int(np.argmax(records["contact_zone"] > 0))
    return records | {"time": 5e-4 * (np.arange(9000) - touched)}


def scaled_tip() -> list[float | bool]:
    """RT-16: largest attitude change [deg]; whether it reverses afterwards."""
    tip = np.degrees(-scaled()["drogue_attitude_change"][:, 0])  # nose up
    return [
        float(np.abs(tip).max()),
        bool(tip[int(np.argmax(np.abs(tip))) :].max() > -0.5 * np.abs(tip).max()),
    ]


def scaled_first() -> list[bool]:
    """RT-17 and RT-18: the drogue first moves aft; the ball joint moves up less, and later."""
    run = scaled()
    t, place, joint = run["time"], run["drogue_position"], run["ball_joint_position"]
    soon = (t > 0) & (t < 0.1)
    up, joint_up = place[:, 2] - place[0, 2], joint[:, 2] - joint[0, 2]
    event = (t > 0) & (t < 0.4)

    def when(values):
        return t[event][np.argmax(values[event] > 0.01)]

    return [
        bool((place[soon, 0] - place[0, 0]).min() < -1e-4),
        bool(joint_up[event].max() < up[event].max()),
        bool(when(joint_up) > when(up)),
    ]


def scaled_losses() -> int:
    """RT-19: number of contact losses within the first second."""
    run = scaled()
    zone = run["contact_zone"][run["time"] < 1.0]
    return int(np.sum((zone[:-1] > 0) & (zone[1:] == 0)))


def scaled_peak() -> bool:
    """RT-20: the largest force is not at the first impact."""
    run = scaled()
    force, zone = np.linalg.norm(run["force"][:, :3], axis=1), run["contact_zone"]
    first = int(np.argmax(zone > 0))
    lost = first + int(np.argmax(zone[first:] == 0))
    return bool(force[first:lost].max() < force.max())


def scaled_tension() -> list[bool]:
    """RT-21: the tension at the end drops immediately at contact and again later, then oscillates slowly."""
    run = scaled()
    t, tension = run["time"], run["end_tension"]
    first = tension[(t > 0) & (t < 0.02)].min() < tension[0] - 20
    later = tension[(t > 0.05) & (t < 1)].min() < tension[0] - 20
    return [bool(first), bool(later), bool(np.ptp(tension[t > 1]) > 5)]


def wave_gap() -> float:
    """RT-22 and RT-23: time from largest tow tension to largest attitude change after the pulse of DV-11 [s]."""
    run = pulsed()
    t, change = run["time"], np.abs(run["tow_tension"] - run["tow_tension"][0])
    tip = np.abs(run["drogue_attitude_change"][:, 0])
    away, back = t > 0.6, t > 1.9  # after the pulse; after the wave reached the tow point
    return float(t[back][np.argmax(tip[back])] - t[away][np.argmax(change[away])])
