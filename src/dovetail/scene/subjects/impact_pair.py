"""Two free bodies that meet: a chaser with its probe and a target, and the contact of them on a rig behind."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import Arrow, Solid, Stage, fixed, haunted, looked_at
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.oscillator import FORCE, GHOST, RIG, SIMULATED, STEEL, Points, along_x, at, place

REACH = 0.9  # [m] on the page that the largest way takes
ASIDE = 2.2  # [m] from the simulated bodies to the rig
PROBE = 0.35  # [m] from the tip of the probe back to its body
X = np.array([1.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """The chaser comes along x, the target is drawn at rest: only the way between them is simulated."""
    pair = run.test.numerical
    demand = by_axis(data["displacement"])[:, 0]
    measured = by_axis(data["measured_displacement"])[:, 0] if "measured_displacement" in data else demand
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest
    touch = magnified * _touching(data, measured)
    sizes = np.cbrt([float(pair.m1), float(pair.m2)])
    small, large = (0.6 * sizes / sizes.max()).round(3)
    chaser, target = _spacecraft(float(small)), _spacecraft(float(large))
    there = place(demand, magnified, 0.0)
    solids = [
        Solid("chaser/body", chaser["body"], at(place(demand, magnified, 0.0, 0.0, -PROBE)), SIMULATED),
        Solid("chaser/panels", chaser["panels"], at(place(demand, magnified, 0.0, 0.0, -PROBE)), "#1f4e8c"),
        Solid("chaser/probe", _probe(), at(there), STEEL),
        Solid("target/body", _facing(target["body"]), fixed((touch, 0, 0)), "#c9ab5f"),
        Solid("target/panels", _facing(target["panels"]), fixed((touch, 0, 0)), "#1f4e8c"),
        *_rig(place(measured, magnified, ASIDE), touch),
    ]
    if haunted(data, demand, measured, largest):
        wanted = place(demand, magnified, ASIDE)
        solids.append(Solid("on the rig/demanded", _probe(), at(wanted), SIMULATED, 0.35))
    if ideal is not None and "displacement" in ideal:
        wanted = place(by_axis(ideal["displacement"])[:, 0], magnified, 0.0)
        solids.append(Solid("ideal", _probe(), at(wanted), GHOST, 0.35))
    arrows = []
    if "measured_force" in data:
        force = by_axis(data["measured_force"])[:, 0]
        scale = 0.5 / max(float(np.nanmax(np.abs(force))), 1e-12)
        foot = place(measured, magnified, ASIDE, 0.16, -0.1)
        meets = np.array([touch, ASIDE, 0.0])
        share = of_limit(run.test, force)
        arrows = [Arrow("force", foot, along_x(force), scale, FORCE, share, lambda k: meets)]

    def notes(k: int) -> str:
        way = f"nearer by {1e3 * demand[k]:+.4g} mm, the rig by {1e3 * measured[k]:+.4g} mm"
        return f"{way}; motion drawn {magnified:.3g} times as large, bodies not to scale"

    stage = Stage(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        marks=(("simulated", (touch + 0.1, -0.5, 0.45)), ("on the rig", (touch + 0.4, ASIDE, 0.4))),
        enlarged=magnified,
        focus=place(measured, magnified, ASIDE),
        nearby=1.2,
    )
    return looked_at(stage, (-0.25, 0.75, -0.75))


def _touching(data: xr.Dataset, measured: np.ndarray) -> float:
    """How near [m] they are when they touch; where they never do, as near as they came."""
    if "depth" in data:
        depth = by_axis(data["depth"])[:, 0]
        touched = np.flatnonzero(depth > 0)
        if len(touched):
            return float(measured[touched[0]] - depth[touched[0]])
    return float(np.nanmax(measured))


def _rig(tip: Points, touch: float) -> list[Solid]:
    """The target's part before a load cell on its block, the chaser's on the rod of an actuator."""
    home = -1.5 + min(touch, 0.0)  # [m] where the actuator's cylinder ends

    rod = fixed((home, ASIDE, 0.0))

    def drawn_out(k: int) -> float:
        return float(tip(k)[0]) - home - PROBE

    cylinder = shapes.joined(shapes.rod(0.11, 0.5), shapes.moved(shapes.box((0.1, 0.3, 0.5)), (0.0, 0, -0.1)))
    back, front = home - 0.8, touch + 0.8
    floor = shapes.moved(shapes.box((front - back, 0.7, 0.05)), (0.5 * (front + back), ASIDE, -0.36))
    block = shapes.moved(shapes.box((0.25, 0.5, 0.6)), (touch + 0.33, ASIDE, -0.05))
    return [
        Solid("on the rig/probe", _probe(), at(tip), RIG),
        Solid("on the rig/rod", shapes.rod(0.035, 1.0), rod, "#c9ced3", 1.0, drawn_out),
        Solid("on the rig/actuator", cylinder, fixed((home - 0.5, ASIDE, 0)), STEEL),
        Solid("on the rig/plate", shapes.rod(0.16, 0.08), fixed((touch, ASIDE, 0)), RIG),
        Solid("on the rig/load cell", shapes.rod(0.1, 0.12), fixed((touch + 0.08, ASIDE, 0)), FORCE),
        Solid("on the rig/ground", shapes.joined(floor, block), colour="#d9dde1"),
    ]


@cache
def _probe() -> shapes.Triangles:
    """A rod with a round tip at the origin, along -x."""
    r = 0.05
    tip = [(-r + r * np.sin(a), r * np.cos(a)) for a in np.linspace(0, np.pi / 2, 7)]
    return shapes.lathe([(-PROBE - 0.02, 0), (-PROBE - 0.02, 0.03), (-r, 0.03), *tip])


@cache
def _spacecraft(size: float) -> dict[str, shapes.Triangles]:
    return shapes.spacecraft(size)


def _facing(mesh: shapes.Triangles) -> shapes.Triangles:
    return shapes.turned(mesh, -X, UP)
