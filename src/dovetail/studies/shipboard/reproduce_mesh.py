"""Meshes of gear and rotor refined, and what a run costs: convergence, influence on the mission, intervals."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.studies.shipboard.assembly import Changes, aircraft, loaded, run
from dovetail.studies.shipboard.statistics import solver_statistics

NODES = {6: 1, 10: 2, 14: 3, 18: 4}  # of the whole gear: parts of each of its four tubes
DROP = 0.25  # [m]


def bent(at: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Nodes (n, 2) [m] of straight legs moved onto parabolas through the three `known` nodes of each leg."""
    moved = np.array(at)
    for leg in (known[:3], known[3:]):
        for half in (0, 1):
            a, b = leg[half : half + 2]
            share = (at - a) @ (b - a) / ((b - a) @ (b - a))
            on = (np.abs(at - a - share[:, None] * (b - a)).max(1) < 1e-9) & (share >= 0) & (share <= 1)
            s = (half + share[on, None]) / 2
            basis = ((1 - s) * (1 - 2 * s), 4 * s * (1 - s), s * (2 * s - 1))
            moved[on] = sum(weight * node for weight, node in zip(basis, leg, strict=True))
    return moved


def meshed(nodes: int, struts: bool = True, curved: bool = False) -> Changes:
    """Changes that cut the tubes of the published gear into equal parts, `nodes` in all.

    What is drawn in the source's figure 6.10 is not printed: the tubes may be straight between the three nodes of a leg
    that are known from its results, or one curve through them.
    """
    base: Any = aircraft("case-1").gear
    times = NODES[nodes]
    mesh, number = base.mesh.refine(times), base.mesh.node_map(times)
    at = np.asarray(mesh.nodes)
    at = bent(at, np.asarray(base.mesh.nodes)) if curved else at
    changes: list[tuple[str, Any]] = [
        ("numerical.gear.mesh.nodes", tuple(tuple(row) for row in at.tolist())),
        ("numerical.gear.mesh.elements", tuple(tuple(pair) for pair in mesh.elements)),
        ("numerical.gear.contact", tuple(number[i] for i in base.contact)),
        ("numerical.gear.interface", tuple(number[i] for i in base.interface)),
    ]
    if struts:
        changes += [(f"numerical.struts.{i}.node", number[node]) for i, node in enumerate((2, 5))]
    return tuple(changes)


@cache
def _height(name: str, nodes: int, curved: bool = False) -> np.ndarray:
    """Return the height of the centre of gravity after a drop [m]."""
    return run(name, meshed(nodes, name != "case-4", curved))["displacement"].values[:, 1]


def _peaks(height: np.ndarray) -> np.ndarray:
    """Heights at which it turns down, after the first contact [m]."""
    h = height[100:]  # contact is at 0.226 s, 400 records a second
    return h[1:-1][(h[1:-1] > h[:-2]) & (h[1:-1] >= h[2:])]


def _bounces(curved: bool) -> tuple[bool, list[float]]:
    """Return whether bounce heights decrease, and the mean distance of 6 and 10 nodes from 18 nodes [m]."""
    heights = {n: _height("case-4", n, curved) for n in (6, 10, 18)}
    decays = all(np.all(np.diff(_peaks(h)[:4]) < 0) for h in heights.values())
    return bool(decays), [float(np.sqrt(np.mean((heights[n] - heights[18]) ** 2))) for n in (6, 10)]


def fixed_gear() -> list[bool]:
    """RT-14: with straight tubes: every bounce is lower than the one before, and 6, 10, 18 nodes draw together."""
    decays, apart = _bounces(False)
    return [decays, apart[1] < apart[0]]


def curved_gear() -> list[bool]:
    """RT-14b: the same with tubes that are one curve."""
    decays, apart = _bounces(True)
    return [decays, apart[1] < apart[0]]


def hinged_gear() -> float:
    """RT-15: largest distance of the drops with 10 and 14 nodes to that with 18, over the height of the drop."""
    finest = _height("case-4-hinged", 18)
    return float(max(np.abs(_height("case-4-hinged", n) - finest).max() for n in (10, 14)) / DROP)


def hinged_decays_faster() -> bool:
    """RT-15b: on hinges with struts the first bounce is lower than with the fixed gear."""
    bounces = [_peaks(_height(name, 10)) for name in ("case-4-hinged", "case-4")]
    first = [float(p[0]) if len(p) else 0.0 for p in bounces]
    return bool(first[0] < first[1])


def mission_meshes() -> list[bool]:
    """RT-38: landing and securing with 6 and 10 nodes within 2 mm; 40 and 160 blade elements further apart."""
    until: Changes = (("duration", 12.0),)

    def place(changes: Changes) -> np.ndarray:
        return run("case-8", until + changes)["displacement"].values

    def blades(number: int) -> Changes:
        return (("numerical.loads.1.rotor.blade.elements", number),)

    gear = float(np.abs(place(()) - place(meshed(10))).max())
    rotor = float(np.abs(place(blades(40)) - place(blades(160))).max())
    return [bool(gear < 2e-3), bool(rotor > 3 * gear)]


def cost() -> list[bool]:
    """RT-39: most intervals of the flight are faster than real time; those with a contact event take more steps."""
    statistics = solver_statistics(loaded("case-8", (("duration", 12.0),)), 0.1)
    flight = statistics.isel(time=slice(0, 60))
    events = statistics["events"].values > 0
    steps = statistics["steps"].values + statistics["again"].values
    usual = float(np.median(flight["steps"]))
    return [bool(np.mean(flight["ratio"].values > 1) > 0.9), bool(np.median(steps[events]) > 3 * usual)]
