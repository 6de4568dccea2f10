"""A probe in a drogue of cylinder and cone, two spacecraft behind them, seen from the drogue."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.mechanics.geometry import Cavity, Drogue
from dovetail.mechanics.spatial import euler
from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit
from dovetail.scene.scene import (
    Arrow,
    Line,
    Points,
    Pose,
    Solid,
    Stage,
    corners,
    fixed,
    haunted,
    looked_at,
    so_far,
)
from dovetail.scene.signal_plots import by_axis
from dovetail.specimens import ProbeInDrogue

DROGUE, PROBE, FORCE, TRAIL, GHOST = "#8d969e", "#d55e00", "#ff5fd2", "#56b4e9", "#aab2ba"
SIMULATED = "#4aa3df"
X = np.eye(3)[0]
USUAL = 0.03, 0.03, 0.2, 0.47  # radius and length of a cylinder, length of a cone [m], half its angle [rad]
USUAL_RADIUS = 0.01  # [m] of a tip


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """The drogue cut open, the probe where the rig had it, the trail of its tip, the force on it; pale, the demand."""
    wished = data["probe_position"].values
    specimen = run.test.rig.specimen
    probe = specimen if isinstance(specimen, ProbeInDrogue) else None
    name = next((n for n in ("achieved_displacement", "measured_displacement") if n in data), "displacement")
    tip = wished if probe is None else np.asarray(probe.home) + by_axis(data[name])[:, :3]
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
        Solid("target's panels", panels, fixed((places[0][0] - 0.02 * mouth, 0, 0)), "#1f4e8c", scenery=True),
        Solid("chaser", _turned(bus), _behind(at, 7 * mouth), "#c8b273", scenery=True),
        Solid("chaser's panels", _turned(panels), _behind(at, 7 * mouth), "#1f4e8c", scenery=True),
    ]
    if haunted(data, wished, tip, mouth):
        solids.append(Solid("demanded", head, wish, SIMULATED, 0.35))
    lines = [Line("trail", lambda k: so_far(tip, k), TRAIL, 2.0, slow=True)]
    if ideal is not None and "probe_position" in ideal:
        wanted = ideal["probe_position"].values
        lines.append(Line("ideal", lambda k: so_far(wanted, k), GHOST, 2.0, ghost=True))
    arrows = [
        Arrow(
            "force",
            lambda k: tip[k],
            lambda k: pull[k],
            0.8 * mouth / largest,
            FORCE,
            of_limit(run.test, pull),
            None if probe is None else touched(probe, tip),
        )
    ]

    def notes(k: int) -> str:
        depth = 1e6 * float(data["depth"].values[k]) if "depth" in data else 0.0
        return f"penetration {max(depth, 0.0):.3g} µm"

    stage = Stage(
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
    return looked_at(stage, (-0.5, 0.8, -0.35), corners([places[0][0], -wide, -wide], [first, wide, wide]))


def outline(cavity: Cavity | None) -> list[tuple[float, float]]:
    """Cylinder and cone about x: places along it [m] and radii there; a usual one for what is no drogue."""
    sizes: tuple[Any, ...] = USUAL
    if isinstance(cavity, Drogue):
        sizes = cavity.cylinder_radius, cavity.cylinder_length, cavity.cone_length, cavity.half_angle
    radius, length, cone, angle = map(float, sizes)
    return [(0.0, radius), (length, radius), (length + cone, radius + cone * float(np.tan(angle)))]


@cache
def _meshes(places: tuple[tuple[float, float], ...], radius: float) -> tuple[shapes.Triangles, ...]:
    mouth = places[-1][1]
    far, near = shapes.cone(places, 0.04 * mouth)
    rod = shapes.between((0.3 * radius, 0, 0), (7 * mouth, 0, 0), 0.45 * radius)
    head = shapes.joined(shapes.ellipsoid((radius, radius, radius)), rod)
    craft = shapes.spacecraft(2.6 * mouth)
    return far, near, head, craft["body"], craft["panels"]


def _turned(mesh: shapes.Triangles) -> shapes.Triangles:
    return shapes.turned(mesh, -X, np.eye(3)[2])


def _behind(at: Pose, by: float) -> Pose:
    def there(k: int) -> tuple[np.ndarray, np.ndarray]:
        R, tip = at(k)
        return R, tip + by * R[:, 0]

    return there


def _moving(turns: np.ndarray, places: np.ndarray) -> Pose:
    return lambda k: (turns[k], places[k])


def touched(probe: ProbeInDrogue, tip: np.ndarray) -> Points:
    """The point of the wall [m] that a tip with its centre at (time, 3) is nearest to, or pushes."""
    wall = jax.jit(jax.vmap(lambda centre: probe.cavity.touch(centre, probe.radius).on_surface))
    points = np.asarray(wall(jnp.asarray(tip)))
    return lambda k: points[k]


def _turns(probe: ProbeInDrogue | None, data: xr.Dataset, name: str) -> np.ndarray:
    """How the probe lies, (time, 3, 3): what is drawn along x runs back from its tip, whose own x points ahead."""
    if probe is None or data.sizes.get("axis") != 6:
        return np.broadcast_to(np.eye(3), (data.sizes["time"], 3, 3))
    swing = np.asarray(euler.to_matrix(jnp.asarray(data[name].values[:, 3:])))
    return np.asarray(euler.to_matrix(probe.home_euler)) @ swing @ np.diag([-1.0, -1.0, 1.0])
