"""Rotor blade with lag damper, and the damper on its rig; motion scaled."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Points, Pose, Scene, Solid, Tube, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.oscillator import FORCE, GHOST, RIG, SIMULATED, STEEL, along_x, at, place

REACH = 0.22  # [m] length of the largest stroke in the drawing
HINGE, ARM, HORN = (
    0.35,
    0.6,
    0.55,
)  # [m] hub centre to hinge; hinge to damper; blade to other end of the damper
ASIDE = 1.5  # [m] from the hub to the rig
BLADES = 5
HOME, WALL = 1.9, -0.8  # [m] positions of the actuator and of the wall that holds the damper


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the blade at the lag angle of the damper stroke; the rotation of the rotor is not drawn."""
    demand = by_axis(data["displacement"])[:, 0]
    measured = by_axis(data["measured_displacement"])[:, 0] if "measured_displacement" in data else demand
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest
    horn = np.array([HINGE + ARM, -HORN, 0.0])
    joint = _joint(demand, magnified)
    solids = [
        Solid("simulation/hub", _hub(), colour=STEEL),
        Solid("simulation/other blades", _others(), colour="#9fc3dc"),
        Solid("simulation/blade", _blade(), _lagging(demand, magnified), SIMULATED),
    ]
    if reference is not None and "displacement" in reference:
        reference_motion = by_axis(reference["displacement"])[:, 0]
        solids.append(Solid("reference", _blade(), _lagging(reference_motion, magnified), GHOST, 0.3))
    tip = place(measured, magnified, ASIDE)
    if visibly_different(data, demand, measured, largest):
        wish = at(place(demand, magnified, ASIDE))
        solids.append(Solid("rig/demand", shapes.rod(0.08, 0.08), wish, SIMULATED, 0.35))
    tubes = [
        Tube(
            "simulation/damper", lambda k: np.stack([horn, horn + 0.55 * (joint(k) - horn)]), 0.075, "#2b3138"
        ),
        Tube("simulation/piston", lambda k: np.stack([horn, joint(k)]), 0.035, STEEL),
        Tube("rig/piston", lambda k: np.stack([[WALL, ASIDE, 0.0], tip(k)]), 0.03, STEEL),
    ]
    arrows = []
    if "measured_force" in data:
        force = by_axis(data["measured_force"])[:, 0]
        scale = 0.6 / max(float(np.nanmax(np.abs(force))), 1e-12)
        top = place(measured, magnified, ASIDE, 0.25)
        arrows = [Arrow("force", top, along_x(force), scale, FORCE, limit_ratio(run.test, force))]

    def notes(k: int) -> str:
        text = f"damper extension {1e3 * demand[k]:+.3g} mm, measured {1e3 * measured[k]:+.3g} mm"
        return f"{text}; motion scaled x{magnified:.3g}, rotor rotation not drawn"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=[*solids, *_rig(tip)],
        tubes=tubes,
        marks=(("simulation", (0.1, -0.3, -0.35)), ("rig", (WALL, ASIDE, 0.5))),
        enlarged=magnified,
        focus=tip,
        nearby=1.6,
    )
    return aim_camera(scene, (-0.35, 0.75, -0.55))


def _angle(stroke: np.ndarray, magnified: float) -> np.ndarray:
    """Return the drawn lag angle [rad]."""
    return np.arcsin(np.clip(magnified * stroke / ARM, -0.9, 0.9))


def _joint(stroke: np.ndarray, magnified: float) -> Points:
    """Return the joint between damper and blade."""
    angle = _angle(stroke, magnified)
    return lambda k: np.array([HINGE + ARM * np.cos(angle[k]), ARM * np.sin(angle[k]), 0.0])


def _lagging(stroke: np.ndarray, magnified: float) -> Pose:
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_euler("z", _angle(stroke, magnified)[:, None]).as_matrix()
    return lambda k: (turns[k], np.array([HINGE, 0.0, 0.0]))


def _rig(tip: Points) -> list[Solid]:
    """Return damper, load cell and actuator."""

    def extension(k: int) -> float:
        return HOME - float(tip(k)[0]) - 0.55

    def after(by: float) -> Pose:
        return at(lambda k: tip(k) + np.array([by, 0.0, 0.0]))

    cylinder = shapes.merge(
        shapes.rod(0.11, 0.5), shapes.translate(shapes.box((0.1, 0.3, 0.46)), (0.5, 0, -0.05))
    )
    floor = shapes.translate(shapes.box((3.6, 0.7, 0.05)), (0.7, ASIDE, -0.3))
    wall = shapes.translate(shapes.box((0.08, 0.6, 0.7)), (WALL - 0.04, ASIDE, 0.06))
    return [
        Solid("rig/damper", shapes.rod(0.09, 0.5), fixed((WALL, ASIDE, 0)), RIG),
        Solid("rig/load cell", shapes.rod(0.08, 0.08), after(0.0), FORCE),
        Solid("rig/rod", shapes.rod(0.04, 1.0), after(0.08), "#c9ced3", 1.0, extension),
        Solid("rig/actuator", cylinder, fixed((HOME - 0.5, ASIDE, 0)), STEEL),
        Solid("rig/ground", shapes.merge(floor, wall), colour="#d9dde1"),
    ]


@cache
def _hub() -> shapes.Triangles:
    """Return hub, mast, and the horn that holds the other end of the damper."""
    up, back = np.array([0.0, 0, 1.0]), np.array([-1.0, 0, 0])
    disc = shapes.translate(shapes.rotate(shapes.rod(0.34, 0.14, 40), up, back), (0, 0, -0.07))
    mast = shapes.translate(shapes.rotate(shapes.rod(0.09, 0.3), up, back), (0, 0, -0.3))
    horn = shapes.rod_between((0.1, -0.2, 0), (HINGE + ARM, -HORN, 0), 0.03)
    return shapes.merge(disc, mast, horn)


@cache
def _blade(length: float = 2.0) -> shapes.Triangles:
    """Return a blade from its hinge outwards."""
    root = shapes.rod_between((0, 0, 0), (0.5, 0, 0), 0.04)
    plan = np.array([[0.4, 0.1], [0.4, -0.14], [length, -0.14], [length, 0.1]])
    return shapes.merge(root, shapes.slab(plan, 0.035))


@cache
def _others() -> shapes.Triangles:
    """Return the roots of the other blades, which are not simulated."""
    from scipy.spatial.transform import Rotation

    stub = shapes.translate(_blade(0.8), (HINGE, 0, 0))
    turns = [Rotation.from_euler("z", 2 * np.pi * i / BLADES).as_matrix() for i in range(2, BLADES - 1)]
    return shapes.merge(*(shapes.Triangles(stub.vertices @ R.T, stub.faces) for R in turns))
