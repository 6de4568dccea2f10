"""Statics and drops, computed again: posture, loads, centre of gravity, struts, meshes, events."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.mechanics.beam import modes, rayleigh
from dovetail.studies.shipboard.assembly import Changes, aircraft, at_rest, run, with_offset

DROP: Changes = (("duration", 5.0),)
OFFSETS = (-0.3, 0.0, 0.1, 0.2, 0.3)  # [m]
RESTING: Changes = (("numerical.initial_pose", (0.0, 0.55, 0.0)),)


def _undeformed() -> Changes:
    """Return struts with their geometric length: the gear has no strain in flight, as in the table of the source."""
    length = float(np.hypot(0.3 - 0.2755, -0.1 + 0.2754))
    return tuple((f"numerical.struts.{i}.law.free_length", length) for i in (0, 1))


def _fall(changes: Changes) -> tuple[Any, float]:
    """The drop until just after the first touch, and the time of that [s]."""
    data = run("case-1", (*changes, ("duration", 0.25)))
    times = data["event_time"].values
    return data, float(times[times > 0][0])


def free_fall() -> float:
    """RT-01: the acceleration [m/s^2] that departs most from gravity, from release to contact."""
    data, touched = _fall(_undeformed())
    felt = data["acceleration"].values[data.time.values < touched, 1]
    return float(felt[np.argmax(np.abs(felt + 9.81))])


def _height_at_contact(changes: Changes) -> float:
    """Return the height of the centre of gravity [m] at an event, extrapolated from the last record before it."""
    data, touched = _fall(changes)
    last = int(np.flatnonzero(data.time.values < touched)[-1])
    y, v = (float(data[name].values[last, 1]) for name in ("displacement", "velocity"))
    dt = touched - float(data.time.values[last])
    return y + v * dt - 9.81 * dt**2 / 2


def first_contact() -> float:
    """RT-02: height of the centre of gravity at first contact [m], of the unmodified aircraft."""
    return _height_at_contact(())


def first_contact_undeformed() -> float:
    """RT-02b: the same with a gear that has no strain in flight; our struts are 0.06 mm shorter than their gap."""
    return _height_at_contact(_undeformed())


def posture() -> list[float]:
    """RT-03: x and y of both feet at rest [m]."""
    nodes = at_rest("case-1", RESTING)["nodes"]
    return [*nodes[0].tolist(), *nodes[-1].tolist()]


def rest_height() -> float:
    """RT-04: height of the centre of gravity at rest [m]."""
    return float(at_rest("case-1", RESTING)["position"][1])


def gear_mass() -> list[float]:
    """RT-06: mass of the gear, its weight, and mass of all."""
    mass = float(aircraft("case-1").model.mass)
    return [mass, mass * 9.81, mass + 50.0]


def _struts(stiffness: float, damping: float) -> Changes:
    values = (("stiffness", stiffness), ("damping", damping))
    return DROP + tuple((f"numerical.struts.{i}.law.{name}", value) for i in (0, 1) for name, value in values)


def strut_trends() -> list[bool]:
    """RT-07: higher rest, faster and larger swings with stiffness, faster settling with damping, symmetric feet."""
    runs = {(k, c): run("case-1", _struts(k, c)) for k in (25e3, 40e3) for c in (200.0, 500.0)}

    def height(key):
        return runs[key]["displacement"].values[:, 1]

    def settling(key):
        h = height(key)
        return float(np.flatnonzero(np.abs(h - h[-1]) > 1e-3)[-1])

    def peaks(key):
        h = height(key)[int(0.25 * 400) :]
        turns = np.flatnonzero((h[1:-1] > h[:-2]) & (h[1:-1] >= h[2:])) + 1
        return float(np.diff(turns[:2])[0])

    def swing(key):
        """Return the height of the first rebound above the rest position."""
        h = height(key)[int(0.25 * 400) :]
        return float(h.max() - h[-1])

    nodes = runs[(25e3, 200.0)]["node_position"].values
    return [
        bool(height((40e3, 500.0))[-1] > height((25e3, 500.0))[-1]),
        bool(peaks((40e3, 200.0)) < peaks((25e3, 200.0))),
        all(swing((40e3, c)) > swing((25e3, c)) for c in (200.0, 500.0)),
        bool(settling((25e3, 500.0)) < settling((25e3, 200.0))),
        bool(np.abs(nodes[:, 0, 0] + nodes[:, -1, 0]).max() < 1e-6),
    ]


def offset_rolls() -> list[float]:
    """RT-08: roll at rest by offset of the centre of gravity, in the published form [rad]."""
    return [float(at_rest("case-1", with_offset(x, "published"))["roll"][0]) for x in OFFSETS]


def _loads(changes: Changes) -> list[float]:
    return at_rest("case-1", changes)["loads"][:, 1].tolist()


def offset_loads() -> list[float]:
    """RT-09: loads on the left and right foot by offset, in the published form [N]."""
    return [v for x in OFFSETS[2:] for v in _loads(with_offset(x, "published"))]


def consistent_loads() -> list[float]:
    """RT-09c: the same in the consistent form [N]."""
    return [v for x in OFFSETS[2:] for v in _loads(with_offset(x, "consistent"))]


def consistent_drop() -> list[float]:
    """RT-09d: loads and roll after a drop with an offset of 0.1 m, consistent."""
    data = run("case-3")
    return [*data["contact_force"].values[-1, :, 1].tolist(), float(data["attitude_angles"].values[-1, 0])]


def balance() -> float:
    """RT-10: largest sum of loads and weights over the offsets [N]."""
    sums = []
    for x in OFFSETS:
        rest = at_rest("case-1", with_offset(x, "published"))
        sums.append(rest["loads"][:, 1].sum() - rest["airframe"] - rest["gear"])
    return float(np.abs(sums).max())


def mirror() -> float:
    """RT-11: departure of the offset of -0.3 m from the mirror image of +0.3 m."""
    left, right = (at_rest("case-1", with_offset(x, "published")) for x in (-0.3, 0.3))
    return float(
        max(abs(left["roll"] + right["roll"])[0], np.abs(left["loads"][:, 1] - right["loads"][::-1, 1]).max())
    )


def split_level(formulation: str = "published") -> list[float]:
    """RT-12: loads on the lower and the upper foot [N]."""
    start = (("numerical.formulation", formulation), ("numerical.initial_pose", (-2.0, 0.5, 0.135)))
    loads = at_rest("case-5", start)["loads"][:, 1]
    return [float(loads[0]), float(loads[1])]


def split_level_consistent() -> list[float]:
    """RT-12c: the same in the consistent form [N]."""
    return split_level("consistent")


def level() -> list[float]:
    """RT-13: loads on the feet on a level deck, either formulation [N]."""
    ship = (("numerical.initial_pose", (3.0, 0.45, 0.0)),)
    return _loads(RESTING) + at_rest("case-1", ship)["loads"][:, 1].tolist()


def rayleigh_constants() -> list[float]:
    """RT-41: both constants for the published gear."""
    return list(rayleigh(0.0, 0.15, 6.5e5, 0.15))


def _modes() -> tuple[np.ndarray, np.ndarray]:
    """Angular frequencies of the mesh, free and hinged [rad/s]."""
    gear: Any = aircraft("case-1").gear  # of skids
    M, K = gear.mesh.assemble()
    return modes(M, K)[0], modes(M, K, gear.fixed_freedoms())[0]


def highest_mode() -> list[float]:
    """RT-42: highest frequency of the mesh, free and hinged [rad/s]."""
    return [float(w[-1]) for w in _modes()]


def first_elastic_mode() -> float:
    """RT-42b: the first elastic frequency of the hinged gear [rad/s]."""
    hinged = _modes()[1]
    return float(hinged[hinged > 1.0][0])
