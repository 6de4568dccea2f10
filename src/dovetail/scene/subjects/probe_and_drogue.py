"""Probe in a drogue (cylinder and cone) with both spacecraft, in the frame of the drogue."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.recording import Recording
from dovetail.mechanics.geometry import Cavity, Drogue
from dovetail.mechanics.spatial import euler
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import (
    Arrow,
    Line,
    Points,
    Pose,
    Scene,
    Solid,
    aim_camera,
    corners,
    fixed,
    trail,
    visibly_different,
)
from dovetail.scene.signal_plots import by_axis
from dovetail.specimens import ProbeInDrogue

DROGUE, PROBE, FORCE, TRAIL, GHOST = "#8d969e", "#d55e00", "#ff5fd2", "#56b4e9", "#aab2ba"
SIMULATED = "#4aa3df"
X = np.eye(3)[0]
USUAL = 0.03, 0.03, 0.2, 0.47  # radius and length of a cylinder, length of a cone [m], half its angle [rad]
USUAL_RADIUS = 0.01  # [m] default radius of a tip


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the open drogue, the measured probe, the path of its tip and the force; the demand translucent."""
    wished = data["probe_position"].values
    specimen = run.test.rig.specimen
    probe = specimen if isinstance(specimen, ProbeInDrogue) else None
    name = next((n for n in ("achieved_displacement", "measured_displacement") if n in data), "displacement")
    tip = wished if probe is None else np.asarray(probe.initial_position) + by_axis(data[name])[:, :3]
    radius = float(probe.radius) if probe is not None else USUAL_RADIUS
    places = tuple(outline(None if probe is None else probe.cavity))
    pull = data["measured_force"].values[:, :3] if "measured_force" in data else np.zeros_like(tip)
    largest = max(float(np.nanmax(np.abs(pull))), 1e-12)
    far, near, head, bus, panels = _meshes(places, radius)
    mouth = places[-1][1]

    at, wish = _moving(_turns(probe, data, name), tip), _moving(_turns(probe, data, "displacement"), wished)
    solids = [
        Solid("drogue", far, fixed(), DROGUE),
        Solid("drogue, front half", near, fixed(), DROGUE, 0.25),
        Solid("probe", head, at, PROBE),
        Solid("target", bus, fixed((places[0][0] - 0.02 * mouth, 0, 0)), "#c8b273", scenery=True),
        Solid("target panels", panels, fixed((places[0][0] - 0.02 * mouth, 0, 0)), "#1f4e8c", scenery=True),
        Solid("chaser", _turn_forward(bus), _behind(at, 7 * mouth), "#c8b273", scenery=True),
        Solid("chaser panels", _turn_forward(panels), _behind(at, 7 * mouth), "#1f4e8c", scenery=True),
    ]
    if visibly_different(data, wished, tip, mouth):
        solids.append(Solid("demand", head, wish, SIMULATED, 0.35))
    lines = [Line("trail", lambda k: trail(tip, k), TRAIL, 2.0, slow=True)]
    if reference is not None and "probe_position" in reference:
        reference_motion = reference["probe_position"].values
        lines.append(Line("reference", lambda k: trail(reference_motion, k), GHOST, 2.0, ghost=True))
    arrows = [
        Arrow(
            "force",
            lambda k: tip[k],
            lambda k: pull[k],
            0.8 * mouth / largest,
            FORCE,
            limit_ratio(run.test, pull),
            None if probe is None else touched(probe, tip),
        )
    ]

    def notes(k: int) -> str:
        depth = 1e6 * float(data["penetration"].values[k]) if "penetration" in data else 0.0
        return f"penetration {max(depth, 0.0):.3g} µm"

    scene = Scene(
        title,
        data.time.values,
        lines,
        arrows,
        notes=notes,
        solids=solids,
        setting="space",
        focus=lambda k: tip[k],
        nearby=1.5 * mouth,
    )
    first = max(places[-1][0], float(np.nanmax(tip[:, 0])))
    wide = 1.5 * mouth
    return aim_camera(scene, (-0.5, 0.8, -0.35), corners([places[0][0], -wide, -wide], [first, wide, wide]))


def outline(cavity: Cavity | None) -> list[tuple[float, float]]:
    """Return positions along x [m] and radii [m] of cylinder and cone; default values if there is no drogue."""
    sizes: tuple[Any, ...] = USUAL
    if isinstance(cavity, Drogue):
        sizes = cavity.cylinder_radius, cavity.cylinder_length, cavity.cone_length, cavity.half_angle
    radius, length, cone, angle = map(float, sizes)
    return [(0.0, radius), (length, radius), (length + cone, radius + cone * float(np.tan(angle)))]


@cache
def _meshes(places: tuple[tuple[float, float], ...], radius: float) -> tuple[shapes.Triangles, ...]:
    mouth = places[-1][1]
    far, near = shapes.cone(places, 0.04 * mouth)
    rod = shapes.rod_between((0.3 * radius, 0, 0), (7 * mouth, 0, 0), 0.45 * radius)
    head = shapes.merge(shapes.ellipsoid((radius, radius, radius)), rod)
    craft = shapes.spacecraft(2.6 * mouth)
    return far, near, head, craft["body"], craft["panels"]


def _turn_forward(mesh: shapes.Triangles) -> shapes.Triangles:
    return shapes.rotate(mesh, -X, np.eye(3)[2])


def _behind(at: Pose, by: float) -> Pose:
    def there(k: int) -> tuple[np.ndarray, np.ndarray]:
        R, tip = at(k)
        return R, tip + by * R[:, 0]

    return there


def _moving(turns: np.ndarray, places: np.ndarray) -> Pose:
    return lambda k: (turns[k], places[k])


def touched(probe: ProbeInDrogue, tip: np.ndarray) -> Points:
    """Return the contact or nearest point [m] on the wall for tip centres (time, 3)."""
    wall = jax.jit(jax.vmap(lambda centre: probe.cavity.touch(centre, probe.radius).on_surface))
    points = np.asarray(wall(jnp.asarray(tip)))
    return lambda k: points[k]


def _turns(probe: ProbeInDrogue | None, data: Recording, name: str) -> np.ndarray:
    """Return the attitude of the probe (time, 3, 3); the mesh runs back from its tip along x."""
    if probe is None or data.sizes.get("axis") != 6:
        return np.broadcast_to(np.eye(3), (data.sizes["time"], 3, 3))
    swing = np.asarray(euler.to_matrix(jnp.asarray(data[name].values[:, 3:])))
    return np.asarray(euler.to_matrix(probe.initial_angles)) @ swing @ np.diag([-1.0, -1.0, 1.0])
