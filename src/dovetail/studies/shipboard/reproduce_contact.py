"""Contact in motion, computed again: slip on a rolling deck, push, drag, hook, wind, securing and traversing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.mechanics.airframe.statics import equilibrium
from dovetail.studies.shipboard.assembly import Changes, aircraft, run

DEVICE, LEFT, RIGHT = 1, 2, 3  # platforms of the cases with clamps
FACE = 2.03  # [m] half width of the device
SHIP = {
    "kind": "harmonic-motion",
    "amplitude": ((0.0,) * 3,),
    "omega": (0.9,),
    "phase": (0.0,),
    "fade_in_time": 2.0,
}
DEVICE_AT = {"kind": "table-motion", "times": (0.0, *range(1, 5), 1000.0), "values": ((0.0, 0.1, 0.0),) * 6}
PUBLISHED: Changes = (("numerical.formulation", "published"),)  # the loads of the feet depend on it


def _slip(name: str, changes: Changes = ()) -> tuple[float, int]:
    """Roll of the deck [rad] when the aircraft begins to slide for good, and the record."""
    data = run(name, changes)
    way = _along_deck(data)
    gone = int(np.argmax(way > 0.3))
    speed = np.diff(way[: gone + 1]) / np.diff(data.time.values[: gone + 1])
    start = int(np.flatnonzero(speed < 2e-3)[-1]) + 1
    return float(data["platform_angle"].values[start, 0]), start


@cache
def as_published() -> Changes:
    """Case 5.2 as the source runs it: its hinge, at rest on deck, friction of the moment, anchors every 2.5 ms."""
    x = equilibrium(aircraft("case-5-slip", PUBLISHED))

    def plain(*parts) -> tuple[float, ...]:
        return tuple(float(v) for part in parts for v in np.ravel(np.asarray(part)))

    start = (
        ("numerical.initial_pose", plain(x["position"], x["attitude"])),
        ("numerical.initial_shape", plain(x["shape"])),
    )
    slides: Changes = (("duration", 28.0),)  # [s]; from 26.2 s on
    return (
        *PUBLISHED,
        *start,
        *slides,
        ("numerical.friction.stribeck_slip", "instantaneous"),
        ("numerical.friction.anchor_interval", 2.5e-3),
    )


def _along_deck(data):
    """Way of the aircraft down a deck that turns about the origin [m]."""
    angle = data["platform_angle"].values[:, 0]
    p = data["displacement"].values
    return p[:, 0] * np.cos(angle) + p[:, 1] * np.sin(angle)


def coulomb_slip() -> float:
    """RT-16: roll at which Coulomb's slider lets go [rad]."""
    return _slip("case-5-slip-coulomb", (("duration", 17.0),))[0]


def bristle_slip() -> float:
    """RT-17: roll at which the bristles let go [rad]."""
    return _slip("case-5-slip", as_published())[0]


def slips_early() -> bool:
    """RT-17b: whether it slips before the heavier foot alone would."""
    return bool(-np.arctan(0.4) < bristle_slip() < -np.arctan(0.2))


def stribeck_drop() -> list[float]:
    """RT-18: friction of the leading foot before slip and after it, over stiction; and the time of the fall [s]."""
    start = _slip("case-5-slip", as_published())[1]
    data = run("case-5-slip", as_published()).isel(
        time=slice(start - 400, start + 400)
    )  # a second either way
    angle = data["platform_angle"].values[:, 0]
    force = data["contact_force"].values[:, 1]
    along = force[:, 0] * np.cos(angle) + force[:, 1] * np.sin(angle)
    share = np.abs(along / (-force[:, 0] * np.sin(angle) + force[:, 1] * np.cos(angle))) / 0.4
    sliding = 400 + int(np.argmax(share[400:] < 0.51))
    held = int(np.flatnonzero(share[:sliding] > 0.98)[-1])
    t = data.time.values
    return [float(share[:sliding].max()), float(share[sliding + 10]), float(t[sliding] - t[held])]


def weight_transfer() -> list[bool]:
    """RT-19: the load of the foot uphill falls and of the one downhill rises with the roll."""
    data = run("case-5-slip", as_published())
    _, k = _slip("case-5-slip", as_published())
    loads = data["pair_normal_force"].values[:, :, 0]
    early, late = 800, k - 40
    return [bool(loads[late, 0] < loads[early, 0]), bool(loads[late, 1] > loads[early, 1])]


def push() -> list[float]:
    """RT-20: distance of the foot from the face that pushes it [m], and when the aircraft falls [s]."""
    data = run("case-5-push")
    t = data.time.values
    face = data["platform_position"].values[:, DEVICE, 0] + FACE
    pushed = (t > 4.0) & (t < 8.5)
    gap = data["node_position"].values[:, 0, 0] - face - 0.01
    falling = np.flatnonzero(data["node_position"].values[:, -1, 1] < -0.02)
    return [float(np.abs(gap[pushed]).max()), float(t[falling[0]]) if len(falling) else np.nan]


def drag() -> float:
    """RT-21: when the foot falls off the device [s]."""
    data = run("case-5-drag")
    t = data.time.values
    off = np.flatnonzero((data["node_position"].values[:, -1, 1] < 0.1) & (t > 1.0))
    return float(t[off[0]]) if len(off) else float("nan")


def dragged_slower() -> list[bool]:
    """RT-21b: the aircraft moves with the device but more slowly, and the distance between its feet increases."""
    data = run("case-5-drag")
    t = data.time.values
    moving = (t > 2.5) & (t < 3.3)
    speed = np.polyfit(t[moving], data["displacement"].values[moving, 0], 1)[0]
    nodes = data["node_position"].values
    stance = (nodes[:, -1, 0] - nodes[:, 0, 0])[[np.argmax(t > 1.9), np.argmax(t > 3.3)]]
    return [bool(0.0 < speed < 0.3), bool(stance[1] > stance[0])]


def hook() -> list[float]:
    """RT-22: when the device reaches the foot [s], and the foot's speed after that [m/s]."""
    data = run("case-5-hook")
    t = data.time.values
    face = data["platform_position"].values[:, DEVICE, 0] + FACE
    gap = data["node_position"].values[:, -1, 0] - face - 0.01
    hit = np.flatnonzero(gap < 1e-3)
    late = t > 5.0
    return [float(t[hit[0]]), float(np.polyfit(t[late], data["node_position"].values[late, -1, 0], 1)[0])]


def wind_slide() -> list[float]:
    """RT-23: speed [m/s] and acceleration [m/s^2] at 3 s in a cross-wind of 3 m/s."""
    data = run("case-6")
    return [float(data["velocity"].values[-1, 0]), float(data["acceleration"].values[-1, 0])]


def wind_balance() -> float:
    """RT-24: mass times acceleration over the drag of the relative wind."""
    v, a = wind_slide()
    return 50.2383 * a / (0.5 * 1.225 * 2 * (3 - v) ** 2)


def drag_in_fall() -> float:
    """RT-25: largest departure of the fall from a = -9.81 + k v^2, over gravity."""
    data = run("case-6-drop")
    t = data.time.values
    falling = (t > 0.1) & (t < 0.22)
    v, a = data["velocity"].values[falling, 1], data["acceleration"].values[falling, 1]
    return float(np.abs((a + 9.81 - 1.225 * v**2 / 50.2383) / 9.81).max())


def _still(body: int, motion: dict[str, Any]) -> Changes:
    """Changes that leave a body where it is, by a motion of another kind: the runs of case 7 are then one program."""
    return tuple((f"numerical.platforms.{body}.motion.{name}", value) for name, value in motion.items())


def secured_run(name: str) -> Any:
    """A run of case 7, with a motion of ship and of device in each."""
    ship = () if name == "case-7-rolling" else _still(0, SHIP)
    device = () if name == "case-7-traverse" else _still(DEVICE, DEVICE_AT)
    return run(name, ship + device)


def distances(data: Any) -> np.ndarray:
    """Airframe to device, left foot to left clamp, right foot to right clamp [m], in time."""
    place, nodes = data["platform_position"].values, data["node_position"].values
    pairs = (
        (place[:, DEVICE], data["displacement"].values),
        (place[:, LEFT], nodes[:, 0]),
        (place[:, RIGHT], nodes[:, -1]),
    )
    return np.stack([np.linalg.norm(a - b, axis=1) for a, b in pairs], 1)


def secured() -> list[float]:
    """RT-33: the three distances, secured from the centre and from beside it [m]."""
    return [
        *distances(secured_run("case-7"))[-1].tolist(),
        *distances(secured_run("case-7-off-centre"))[-1].tolist(),
    ]


def secured_rolled() -> list[float]:
    """RT-33r: the three distances on the rolled ship [m]."""
    return distances(secured_run("case-7-rolled"))[-1].tolist()


def secured_constancy() -> float:
    """RT-33c: largest change of a distance after 2.5 s [m]."""
    gaps = distances(secured_run("case-7"))
    return float(np.ptp(gaps[int(2.5 * 400) :], axis=0).max())


def secured_in_motion() -> list[float]:
    """RT-34: largest departure from the secured distances on the rolling ship and in the traverse [m]."""
    rolling, moved = distances(secured_run("case-7-rolling")), distances(secured_run("case-7-traverse"))
    level = distances(secured_run("case-7"))[-1]
    return [
        float(np.abs(rolling[int(4.5 * 400) :] - level).max()),
        float(np.abs(moved[int(1.9 * 400) :] - level).max()),
    ]


def clamp_loads() -> list[bool]:
    """RT-35: the clamp behind pushes more on acceleration, the one ahead on deceleration of the traverse."""
    data = secured_run("case-7-traverse")
    t = data.time.values
    force = data["pair_normal_force"].values
    left, right = force[:, 0, LEFT], force[:, 1, RIGHT]
    # the device goes to port (+): the left clamp pushes its foot outwards, against the motion
    speeding, slowing = (t > 2.2) & (t < 2.8), (t > 3.2) & (t < 3.8)
    return [
        bool(right[speeding].mean() > left[speeding].mean()),
        bool(left[slowing].mean() > right[slowing].mean()),
    ]
