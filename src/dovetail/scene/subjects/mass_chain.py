"""Three masses in line: two simulated ones on walls, and the specimen between them, moved by two actuators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Points, Scene, Solid, aim_camera, fixed, visibly_different
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects import oscillator
from dovetail.scene.subjects.oscillator import FORCE, GHOST, RIG, SIMULATED, STEEL, along_x, at, place

APART = 1.1  # [m] from mass to mass, and from the outer masses to their walls
REACH = 0.4  # [m] length of the largest motion in the drawing
BEHIND = 1.2  # [m] from the machine to the rig behind it
HALF = 0.15  # [m] half the length of a mass


@cache
def _meshes() -> dict[str, shapes.Triangles]:
    floor = shapes.translate(shapes.box((4 * APART + 1.6, 1.0, 0.05)), (0, 0, -0.3))
    wall = shapes.box((0.08, 0.6, 0.7))
    walls = [shapes.translate(wall, (side * (2 * APART + 0.04), 0, 0.06)) for side in (-1, 1)]
    return {
        "block": shapes.box((2 * HALF, 0.36, 0.36)),
        "plate": shapes.box((0.06, 0.3, 0.3)),
        "coil": shapes.coil(0.09, 0.014),
        "rod": shapes.rod(0.04, 1.0),
        "cell": shapes.rod(0.08, 0.07),
        "cylinder": shapes.rod(0.11, 0.6),
        "floor": floor,
        "walls": shapes.merge(floor, *walls),
    }


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the machine in front and the rig behind; motion along x, scaled."""
    demand = by_axis(data["displacement"])
    if demand.shape[1] != 2 or "mass_displacement" not in data:
        return oscillator.draw(title, run, data, reference)
    measured = by_axis(data["measured_displacement"]) if "measured_displacement" in data else None
    middle = by_axis(data["mass_displacement"])[:, 0]
    names = [str(name) for name in data.axis.values]
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = REACH / largest

    def pair(motion: np.ndarray, y: float, z: float = 0.0) -> list[Points]:
        """Return the places of the two outer masses, or of the plates of the actuators."""
        return [place(motion[:, i], magnified, y, z, home) for i, home in enumerate((-APART, APART))]

    solids = _machine(names, pair(demand, 0.0), place(middle, magnified, 0.0))
    if reference is not None and "displacement" in reference:
        ghosts = pair(by_axis(reference["displacement"]), 0.0)
        solids += _copies(names, "reference", "block", ghosts, GHOST, 0.3)
    marks, arrows = [("machine: simulated masses blue, specimen orange", (-2 * APART, 0.0, 0.55))], []
    if measured is not None:
        solids += _rig(names, pair(measured, BEHIND), place(middle, magnified, BEHIND))
        if visibly_different(data, demand, measured, largest):
            solids += _copies(names, "rig/demand", "plate", pair(demand, BEHIND), SIMULATED, 0.35)
        marks.append(("rig", (-2 * APART, BEHIND, 0.55)))
        arrows = _forces(names, run.test, data, pair(measured, BEHIND, 0.35))

    def notes(k: int) -> str:
        wish, there = (
            ", ".join(f"{1e3 * z:+.3g}" for z in path[k])
            for path in (demand, demand if measured is None else measured)
        )
        return (
            f"demand {wish} mm, measured {there} mm, middle mass {1e3 * middle[k]:+.3g} mm; "
            f"motion scaled x{magnified:.3g}"
        )

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        marks=marks,
        enlarged=magnified,
        focus=place(middle, magnified, 0.0),
        nearby=2.4,
    )
    return aim_camera(scene, (-0.25, 0.8, -0.5))


def _machine(names: Sequence[str], masses: Sequence[Points], centre: Points) -> list[Solid]:
    """Return the two simulated masses on their walls, and the specimen between them."""
    ends = [fixed_point(-2 * APART, 0.0), fixed_point(2 * APART, 0.0)]
    return [
        Solid("simulation/ground", _meshes()["walls"], fixed(), "#d9dde1"),
        *_copies(names, "simulation/mass", "block", masses, SIMULATED),
        spring(f"{names[0]}/simulation/spring", ends[0], masses[0], 0.0, HALF, STEEL),
        spring(f"{names[1]}/simulation/spring", masses[1], ends[1], HALF, 0.0, STEEL),
        *_middle_mass("machine", masses, centre, HALF),
    ]


def _rig(names: Sequence[str], plates: Sequence[Points], centre: Points) -> list[Solid]:
    """Return the specimen between two actuators."""
    actuators = [
        _actuator(f"{name}/rig", plate, side)
        for name, plate, side in zip(names, plates, (-1.0, 1.0), strict=True)
    ]
    return [
        Solid("rig/ground", _meshes()["floor"], fixed((0, BEHIND, 0)), "#d9dde1"),
        *_middle_mass("rig", plates, centre, 0.03),
        *actuators[0],
        *actuators[1],
    ]


def _copies(
    names: Sequence[str], what: str, mesh: str, places: Sequence[Points], colour: str, opacity: float = 1.0
) -> list[Solid]:
    """Return equal bodies at several places, one for each axis."""
    return [
        Solid(f"{name}/{what}", _meshes()[mesh], at(where), colour, opacity)
        for name, where in zip(names, places, strict=True)
    ]


def _forces(names: Sequence[str], test: Any, data: Recording, tops: Sequence[Points]) -> list[Arrow]:
    """Return an arrow for the measured force of each actuator."""
    if "measured_force" not in data:
        return []
    force = by_axis(data["measured_force"])
    scale = REACH / max(float(np.nanmax(np.abs(force))), 1e-12)
    return [
        Arrow(f"{name}/force", top, along_x(f), scale, FORCE, limit_ratio(test, f, i))
        for i, (name, top, f) in enumerate(zip(names, tops, force.T, strict=True))
    ]


def fixed_point(x: float, y: float) -> Points:
    """Return a point that does not move."""
    return lambda k: np.array([x, y, 0.0])


def spring(name: str, left: Points, right: Points, after: float, before: float, colour: str) -> Solid:
    """Return a coil from `after` [m] behind a point to `before` [m] ahead of another."""
    step = np.array([after, 0.0, 0.0])
    return Solid(
        name,
        _meshes()["coil"],
        lambda k: (np.eye(3), left(k) + step),
        colour,
        1.0,
        lambda k: float((right(k) - left(k))[0]) - after - before,
    )


def _middle_mass(name: str, sides: Sequence[Points], centre: Points, half: float) -> list[Solid]:
    """Return the specimen: its mass and the springs to both sides, which have half a length [m]."""
    return [
        Solid(f"{name}/specimen/mass", _meshes()["block"], at(centre), RIG),
        spring(f"{name}/specimen/left spring", sides[0], centre, half, HALF, RIG),
        spring(f"{name}/specimen/right spring", centre, sides[1], HALF, half, RIG),
    ]


def _actuator(name: str, plate: Points, side: float) -> list[Solid]:
    """Return plate, load cell, rod and cylinder at the left (side -1) or right (side 1) end."""
    mesh, outer = _meshes(), side * (2 * APART + 0.3)

    def away(length: float, back: float) -> Points:
        """Return where a body of a length [m] begins that lies `back` [m] outside of the plate."""
        return lambda k: plate(k) + np.array([side * back - (length if side < 0 else 0.0), 0.0, 0.0])

    def rod(k: int) -> tuple[np.ndarray, np.ndarray]:
        x = plate(k)[0] + 0.1 if side > 0 else outer + 0.3
        return np.eye(3), np.array([x, BEHIND, 0.0])

    return [
        Solid(f"{name}/plate", mesh["plate"], at(plate), RIG),
        Solid(f"{name}/load cell", mesh["cell"], at(away(0.07, 0.03)), FORCE),
        Solid(
            f"{name}/rod", mesh["rod"], rod, "#c9ced3", 1.0, lambda k: abs(outer - float(plate(k)[0])) - 0.4
        ),
        Solid(f"{name}/actuator", mesh["cylinder"], fixed((outer - 0.3, BEHIND, 0)), STEEL),
    ]
