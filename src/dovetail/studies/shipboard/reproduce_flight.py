"""Flight with rotor and complete mission, recomputed."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import Controls
from dovetail.mechanics.bodies.loads import BodyMotion
from dovetail.studies.registry import find_test
from dovetail.studies.shipboard.assembly import aircraft, run
from dovetail.studies.shipboard.reproduce_contact import LEFT, RIGHT, distances
from dovetail.testing.test_file import parse

LANDED = 11.0  # [s] landed at 6.7 s, clamps spread from 7 to 7.5 s


def _airborne(data):
    return data["contact_force"].values[:, :, 1].sum(1) < 1.0


def up_and_down() -> list[float]:
    """RT-27: greatest thrust [N], lift-off and touch-down [s] without wind."""
    data = run("case-6-rotor")
    t = data.time.values
    off = t[np.argmax(_airborne(data) & (t > 3.0))]
    down = t[np.argmax(~_airborne(data) & (t > off + 0.5))]
    return [float(data["air_wrench"].values[:, 1].max()), float(off), float(down)]


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
    """RT-36: event times of the complete mission."""
    data = run("case-8")
    t = data.time.values
    touched = ~_airborne(data)
    apart = distances(data)
    held = (t > 10.0) & (t < 42.0)
    return [
        bool(6.0 < t[np.argmax(touched)] < 7.2),
        bool(np.all(touched[(t > 8.0) & (t < 42.0)])),
        bool(np.ptp(apart[held], axis=0).max() < 5e-3),
        bool(np.all(~touched[t > 45.0])),
    ]


def _set_by_the_pilot(data: Any) -> np.ndarray:
    """Time [s], rotor speed [rad/s], collective, cyclic pitch and its azimuth [rad] of a run of the mission."""
    pilot: Any = aircraft("case-8").loads[1]

    def one(t, place, roll, velocity, spin):
        c, s = jnp.cos(roll), jnp.sin(roll)
        R = jnp.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        world = jnp.concatenate([jnp.zeros(1), velocity])
        motion = BodyMotion(R, jnp.array([0.0, *place]), world @ R, jnp.array([spin, 0.0, 0.0]), jnp.zeros(3))
        return jnp.array([t, *pilot.commands(t, motion)])

    names = ("displacement", "attitude_angles", "velocity", "angular_velocity")
    place, roll, velocity, spin = (data[name].values for name in names)
    return np.asarray(jax.jit(jax.vmap(one))(data.time.values, place, roll[:, 0], velocity, spin[:, 0]))


@cache
def commands() -> dict[str, list[float]]:
    """Return the commands of the pilot until the aircraft is secured, as a table with 1 ms steps."""
    rows = _set_by_the_pilot(run("case-8", (("rate", 1000.0), ("duration", LANDED))))
    return dict(zip(("times", *Controls._fields), rows.T.tolist(), strict=True))


@cache
def replayed(elements: int) -> Any:
    """The mission with the pilot's settings as hand-made tables, as the source flies it, and blades of other meshes."""
    table = tomllib.loads(find_test("shipboard/case-8").read_text("utf-8"))
    pilot = table["numerical"]["loads"][1]
    rotor = pilot["rotor"] | {"blade": pilot["rotor"]["blade"] | {"elements": elements}}
    schedule = {"kind": "rotor-schedule"} | commands()
    position_and_wind = {name: pilot[name] for name in ("hub", "wind")}
    table["numerical"]["loads"][1] = {
        "kind": "rotor-load",
        "rotor": rotor,
        "schedule": schedule,
    } | position_and_wind
    return parse(table | {"duration": LANDED}, "replayed").simulate().data


def _held(elements: int) -> np.ndarray:
    """Return whether each foot is in contact with each clamp after the clamps have spread, (feet, clamps)."""
    data = replayed(elements)
    late = data.time.values > LANDED - 2.0
    return data["pair_normal_force"].values[late][:, :, [LEFT, RIGHT]].mean(0) > 1.0


def coarse_blades() -> list[bool]:
    """RT-37: whether, flown by the same tables, 80 elements are secured and 40 miss the device."""
    fine, coarse = _held(80), _held(40)
    return [bool(fine[0, 0] and fine[1, 1]), not (coarse[0, 0] and coarse[1, 1])]


def coarse_blades_foot() -> bool:
    """RT-37a: whether the left foot of 40 elements is at the right clamp then."""
    return bool(_held(40)[0, 1])
