"""Meshes of gear and rotor refined, and what a run costs: convergence, influence on the mission, intervals."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.studies.shipboard.assembly import Changes, aircraft, loaded, run
from dovetail.studies.shipboard.statistics import solver_statistics

NODES = {6: 1, 10: 2, 14: 3, 18: 4}  # of the whole gear: parts of each of its four tubes
DROP = 0.25  # [m]


def meshed(nodes: int, struts: bool = True) -> Changes:
    """Changes that cut the tubes of the published gear into equal parts, `nodes` in all."""
    base: Any = aircraft("case-1").gear
    times = NODES[nodes]
    mesh, number = base.mesh.refined(times), base.mesh.renumbered(times)
    changes: list[tuple[str, Any]] = [
        ("system.gear.mesh.nodes", tuple(tuple(row) for row in np.asarray(mesh.nodes).tolist())),
        ("system.gear.mesh.elements", tuple(tuple(pair) for pair in mesh.elements)),
        ("system.gear.contact", tuple(number[i] for i in base.contact)),
        ("system.gear.interface", tuple(number[i] for i in base.interface)),
    ]
    if struts:
        changes += [(f"system.struts.{i}.node", number[node]) for i, node in enumerate((2, 5))]
    return tuple(changes)


@cache
def _height(name: str, nodes: int) -> np.ndarray:
    """Of the centre of gravity after a drop [m]."""
    return run(name, meshed(nodes, name != "case-4"))["displacement"].values[:, 1]


def _peaks(height: np.ndarray) -> np.ndarray:
    """Heights at which it turns down, after the first contact [m]."""
    h = height[100:]  # contact is at 0.226 s, 400 records a second
    return h[1:-1][(h[1:-1] > h[:-2]) & (h[1:-1] >= h[2:])]


def fixed_gear() -> list[bool]:
    """RT-14: every bounce is lower than the one before, and 6, 10, 18 nodes draw together."""
    heights = {n: _height("case-4", n) for n in (6, 10, 18)}
    decays = all(np.all(np.diff(_peaks(h)[:4]) < 0) for h in heights.values())
    apart = [float(np.linalg.norm(heights[n] - heights[18])) for n in (6, 10)]
    return [bool(decays), bool(apart[1] < apart[0])]


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
        return (("system.loads.1.rotor.blade.elements", number),)

    gear = float(np.abs(place(()) - place(meshed(10))).max())
    rotor = float(np.abs(place(blades(40)) - place(blades(160))).max())
    return [bool(gear < 2e-3), bool(rotor > 3 * gear)]


def cost() -> list[bool]:
    """RT-39: most intervals of the flight are faster than real time; those with a contact event take more steps."""
    found = solver_statistics(loaded("case-8", (("duration", 12.0),)), 0.1)
    flight = found.isel(time=slice(0, 60))
    events = found["events"].values > 0
    steps = found["steps"].values + found["again"].values
    usual = float(np.median(flight["steps"]))
    return [bool(np.mean(flight["ratio"].values > 1) > 0.9), bool(np.median(steps[events]) > 3 * usual)]
