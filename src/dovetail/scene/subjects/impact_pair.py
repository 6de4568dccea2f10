"""Impact of two free bodies: chaser with probe and target, and their contact on the rig."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Scene, Solid, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.oscillator import FORCE, GHOST, RIG, SIMULATED, STEEL, Points, along_x, at, place

REACH = 0.9  # [m] length of the largest motion in the drawing
ASIDE = 2.2  # [m] from the simulated bodies to the rig
PROBE = 0.35  # [m] from the tip of the probe back to its body
X = np.array([1.0, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the chaser moving along x and the target at rest, because only their relative motion is simulated."""
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
    if visibly_different(data, demand, measured, largest):
        ghost = place(demand, magnified, ASIDE)
        solids.append(Solid("rig/demand", _probe(), at(ghost), SIMULATED, 0.35))
    if reference is not None and "displacement" in reference:
        ghost = place(by_axis(reference["displacement"])[:, 0], magnified, 0.0)
        solids.append(Solid("reference", _probe(), at(ghost), GHOST, 0.35))
    arrows = []
    if "measured_force" in data:
        force = by_axis(data["measured_force"])[:, 0]
        scale = 0.5 / max(float(np.nanmax(np.abs(force))), 1e-12)
        foot = place(measured, magnified, ASIDE, 0.16, -0.1)
        meets = np.array([touch, ASIDE, 0.0])
        ratio = limit_ratio(run.test, force)
        arrows = [Arrow("force", foot, along_x(force), scale, FORCE, ratio, lambda k: meets)]

    def notes(k: int) -> str:
        text = f"approach {1e3 * demand[k]:+.4g} mm, measured {1e3 * measured[k]:+.4g} mm"
        return f"{text}; motion scaled x{magnified:.3g}, bodies not to scale"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        marks=(("simulation", (touch + 0.1, -0.5, 0.45)), ("rig", (touch + 0.4, ASIDE, 0.4))),
        enlarged=magnified,
        focus=place(measured, magnified, ASIDE),
        nearby=1.2,
    )
    return aim_camera(scene, (-0.25, 0.75, -0.75))


def _touching(data: Recording, measured: np.ndarray) -> float:
    """Return the approach [m] at first contact; without contact, the largest approach."""
    if "penetration" in data:
        depth = by_axis(data["penetration"])[:, 0]
        touched = np.flatnonzero(depth > 0)
        if len(touched):
            return float(measured[touched[0]] - depth[touched[0]])
    return float(np.nanmax(measured))


def _rig(tip: Points, touch: float) -> list[Solid]:
    """Return the contact plate on its load cell, and the probe on the rod of the actuator."""
    home = -1.5 + min(touch, 0.0)  # [m] end of the actuator cylinder

    rod = fixed((home, ASIDE, 0.0))

    def extension(k: int) -> float:
        return float(tip(k)[0]) - home - PROBE

    cylinder = shapes.merge(
        shapes.rod(0.11, 0.5), shapes.translate(shapes.box((0.1, 0.3, 0.5)), (0.0, 0, -0.1))
    )
    back, front = home - 0.8, touch + 0.8
    floor = shapes.translate(shapes.box((front - back, 0.7, 0.05)), (0.5 * (front + back), ASIDE, -0.36))
    block = shapes.translate(shapes.box((0.25, 0.5, 0.6)), (touch + 0.33, ASIDE, -0.05))
    return [
        Solid("rig/probe", _probe(), at(tip), RIG),
        Solid("rig/rod", shapes.rod(0.035, 1.0), rod, "#c9ced3", 1.0, extension),
        Solid("rig/actuator", cylinder, fixed((home - 0.5, ASIDE, 0)), STEEL),
        Solid("rig/plate", shapes.rod(0.16, 0.08), fixed((touch, ASIDE, 0)), RIG),
        Solid("rig/load cell", shapes.rod(0.1, 0.12), fixed((touch + 0.08, ASIDE, 0)), FORCE),
        Solid("rig/ground", shapes.merge(floor, block), colour="#d9dde1"),
    ]


@cache
def _probe() -> shapes.Triangles:
    """Return a rod with a round tip at the origin, along -x."""
    r = 0.05
    tip = [(-r + r * np.sin(a), r * np.cos(a)) for a in np.linspace(0, np.pi / 2, 7)]
    return shapes.lathe([(-PROBE - 0.02, 0), (-PROBE - 0.02, 0.03), (-r, 0.03), *tip])


@cache
def _spacecraft(size: float) -> dict[str, shapes.Triangles]:
    return shapes.spacecraft(size)


def _facing(mesh: shapes.Triangles) -> shapes.Triangles:
    return shapes.rotate(mesh, -X, UP)
