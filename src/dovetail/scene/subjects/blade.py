"""A rotor's blade on its hub with its lag damper, and the damper on a rig behind; motion magnified."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import Arrow, Points, Pose, Solid, Stage, Tube, fixed, haunted, looked_at
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.oscillator import FORCE, GHOST, RIG, SIMULATED, STEEL, along_x, at, place

REACH = 0.22  # [m] on the page that the largest stroke takes
HINGE, ARM, HORN = (
    0.35,
    0.6,
    0.55,
)  # [m] from the hub's middle; from there to the damper; from the blade to its other end
ASIDE = 1.5  # [m] from the hub to the rig
BLADES = 5
HOME, WALL = 1.9, -0.8  # [m] where the rig's actuator is, and the wall that holds the damper


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """The blade swings about its hinge as far as the damper is drawn out; the rotor's turning is left out."""
    demand = by_axis(data["displacement"])[:, 0]
    measured = by_axis(data["measured_displacement"])[:, 0] if "measured_displacement" in data else demand
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest
    horn = np.array([HINGE + ARM, -HORN, 0.0])
    joint = _joint(demand, magnified)
    solids = [
        Solid("simulated/hub", _hub(), colour=STEEL),
        Solid("simulated/other blades", _others(), colour="#9fc3dc"),
        Solid("simulated/blade", _blade(), _lagging(demand, magnified), SIMULATED),
    ]
    if ideal is not None and "displacement" in ideal:
        wanted = by_axis(ideal["displacement"])[:, 0]
        solids.append(Solid("ideal", _blade(), _lagging(wanted, magnified), GHOST, 0.3))
    tip = place(measured, magnified, ASIDE)
    if haunted(data, demand, measured, largest):
        wish = at(place(demand, magnified, ASIDE))
        solids.append(Solid("on the rig/demanded", shapes.rod(0.08, 0.08), wish, SIMULATED, 0.35))
    tubes = [
        Tube(
            "simulated/damper", lambda k: np.stack([horn, horn + 0.55 * (joint(k) - horn)]), 0.075, "#2b3138"
        ),
        Tube("simulated/piston", lambda k: np.stack([horn, joint(k)]), 0.035, STEEL),
        Tube("on the rig/piston", lambda k: np.stack([[WALL, ASIDE, 0.0], tip(k)]), 0.03, STEEL),
    ]
    arrows = []
    if "measured_force" in data:
        force = by_axis(data["measured_force"])[:, 0]
        scale = 0.6 / max(float(np.nanmax(np.abs(force))), 1e-12)
        top = place(measured, magnified, ASIDE, 0.25)
        arrows = [Arrow("force", top, along_x(force), scale, FORCE, of_limit(run.test, force))]

    def notes(k: int) -> str:
        way = f"damper drawn out by {1e3 * demand[k]:+.3g} mm, on the rig by {1e3 * measured[k]:+.3g} mm"
        return f"{way}; motion drawn {magnified:.3g} times as large, the rotor's turning left out"

    stage = Stage(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=[*solids, *_rig(tip)],
        tubes=tubes,
        marks=(("simulated", (0.1, -0.3, -0.35)), ("on the rig", (WALL, ASIDE, 0.5))),
        enlarged=magnified,
        focus=tip,
        nearby=1.6,
    )
    return looked_at(stage, (-0.35, 0.75, -0.55))


def _angle(stroke: np.ndarray, magnified: float) -> np.ndarray:
    """Lag angle [rad] on the page."""
    return np.arcsin(np.clip(magnified * stroke / ARM, -0.9, 0.9))


def _joint(stroke: np.ndarray, magnified: float) -> Points:
    """Where the damper holds the blade."""
    angle = _angle(stroke, magnified)
    return lambda k: np.array([HINGE + ARM * np.cos(angle[k]), ARM * np.sin(angle[k]), 0.0])


def _lagging(stroke: np.ndarray, magnified: float) -> Pose:
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_euler("z", _angle(stroke, magnified)[:, None]).as_matrix()
    return lambda k: (turns[k], np.array([HINGE, 0.0, 0.0]))


def _rig(tip: Points) -> list[Solid]:
    """The damper between a wall and a load cell that an actuator's rod moves."""

    def drawn_out(k: int) -> float:
        return HOME - float(tip(k)[0]) - 0.55

    def after(by: float) -> Pose:
        return at(lambda k: tip(k) + np.array([by, 0.0, 0.0]))

    cylinder = shapes.joined(
        shapes.rod(0.11, 0.5), shapes.moved(shapes.box((0.1, 0.3, 0.46)), (0.5, 0, -0.05))
    )
    floor = shapes.moved(shapes.box((3.6, 0.7, 0.05)), (0.7, ASIDE, -0.3))
    wall = shapes.moved(shapes.box((0.08, 0.6, 0.7)), (WALL - 0.04, ASIDE, 0.06))
    return [
        Solid("on the rig/damper", shapes.rod(0.09, 0.5), fixed((WALL, ASIDE, 0)), RIG),
        Solid("on the rig/load cell", shapes.rod(0.08, 0.08), after(0.0), FORCE),
        Solid("on the rig/rod", shapes.rod(0.04, 1.0), after(0.08), "#c9ced3", 1.0, drawn_out),
        Solid("on the rig/actuator", cylinder, fixed((HOME - 0.5, ASIDE, 0)), STEEL),
        Solid("on the rig/ground", shapes.joined(floor, wall), colour="#d9dde1"),
    ]


@cache
def _hub() -> shapes.Triangles:
    """A flat hub with a mast below, and the horn that holds the damper's other end."""
    up, back = np.array([0.0, 0, 1.0]), np.array([-1.0, 0, 0])
    disc = shapes.moved(shapes.turned(shapes.rod(0.34, 0.14, 40), up, back), (0, 0, -0.07))
    mast = shapes.moved(shapes.turned(shapes.rod(0.09, 0.3), up, back), (0, 0, -0.3))
    horn = shapes.between((0.1, -0.2, 0), (HINGE + ARM, -HORN, 0), 0.03)
    return shapes.joined(disc, mast, horn)


@cache
def _blade(length: float = 2.0) -> shapes.Triangles:
    """A blade from its hinge outwards."""
    root = shapes.between((0, 0, 0), (0.5, 0, 0), 0.04)
    plan = np.array([[0.4, 0.1], [0.4, -0.14], [length, -0.14], [length, 0.1]])
    return shapes.joined(root, shapes.slab(plan, 0.035))


@cache
def _others() -> shapes.Triangles:
    """The roots of the other blades, which are not simulated."""
    from scipy.spatial.transform import Rotation

    stub = shapes.moved(_blade(0.8), (HINGE, 0, 0))
    turns = [Rotation.from_euler("z", 2 * np.pi * i / BLADES).as_matrix() for i in range(2, BLADES - 1)]
    return shapes.joined(*(shapes.Triangles(stub.vertices @ R.T, stub.faces) for R in turns))
