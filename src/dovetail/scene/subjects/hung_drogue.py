"""Drogue on a rope between three bungees, struck from below by a driven probe."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.constants import g

from dovetail.core.recording import Recording
from dovetail.mechanics.chain.attitude import link_rotation
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio, weight_ratio
from dovetail.scene.scene import Arrow, Line, Pose, Scene, Solid, Tube, aim_camera, trail
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects.hose_and_drogue import CANOPY, FORCE, GREY, PROBE, SIMULATED, drogue_of
from dovetail.testing import Rig

ROPE = "#7a848d"
FLOOR = -3.2  # [m] height of the floor from the upper end of the rope, not part of a test


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw the simulated gantry, rope, reaction mass and bungees, and drogue and probe, whose contact is on the rig."""
    hung, rig = run.test.numerical, run.test.rig
    joint, centre = data["ball_joint_position"].values, data["drogue_position"].values
    up = _unit(joint - centre)
    turns = np.asarray(jax.vmap(link_rotation)(jnp.asarray(up)))
    flange = joint - float(hung.flange) * up
    tied = joint - float(hung.bungee_place) * up
    azimuth, reach = np.asarray(hung.bungee_azimuth, float), float(hung.bungee_reach)
    height = np.full(len(azimuth), -float(hung.chain.length) - float(hung.bungee_place))
    anchors = np.stack([reach * np.cos(azimuth), reach * np.sin(azimuth), height], axis=1)

    def attitude(k: int) -> tuple[np.ndarray, np.ndarray]:
        return turns[k], flange[k]

    def mass(k: int) -> tuple[np.ndarray, np.ndarray]:
        return turns[k], joint[k]

    parts = drogue_of(rig.specimen if isinstance(rig, Rig) else hung)
    solids = [
        Solid("gantry", _gantry(round(1.15 * reach, 3)), colour="#c4cad0", scenery=True),
        Solid("anchors", _stands(anchors), colour="#c4cad0"),
        Solid("reaction mass", _mass(round(float(hung.flange), 3)), mass, SIMULATED),
        Solid("drogue/coupling", parts["coupling"], attitude, "#6b747c"),
        Solid("drogue/ribs", parts["ribs"], attitude, GREY),
        Solid("drogue/canopy", parts["canopy"], attitude, CANOPY, 0.85),
    ]
    tubes = [
        Tube("rope", lambda k: np.stack([np.zeros(3), joint[k]]), 0.012, ROPE),
        Tube("bungees", lambda k: np.stack([anchors, 0 * anchors + tied[k]], axis=1), 0.01, SIMULATED),
    ]
    arrows: list[Arrow] = []
    if "nozzle_pose" in data:
        tip = _nozzle(data["nozzle_pose"].values, turns, flange)
        solids.append(Solid("probe", _probe(), tip, PROBE))
        arrows = _force(run, data, turns, tip)

    def notes(k: int) -> str:
        aside = 1e3 * float(np.hypot(*(centre[k] - centre[0])[:2]))
        return (
            f"lateral drogue displacement {aside:.3g} mm; rope drawn straight, gantry and floor not to scale"
        )

    scene = Scene(
        title,
        data.time.values,
        [Line("path of the drogue", lambda k: trail(centre, k), SIMULATED, 1.5, slow=True)],
        arrows,
        notes=notes,
        solids=solids,
        tubes=tubes,
        marks=(("simulation: rope and bungees", (0.0, 0.0, -0.15)),),
        focus=lambda k: centre[k],
        nearby=1.5,
    )
    return aim_camera(scene, (-0.35, -0.9, -0.15))


def _force(run: Any, data: Recording, turns: np.ndarray, tip: Pose) -> list[Arrow]:
    """Return the measured force on the drogue; its components are in the axes of the drogue."""
    if "measured_force" not in data:
        return []
    force = by_axis(data["measured_force"])[:, :3]
    scale = 0.5 / max(float(np.nanmax(np.linalg.norm(force, axis=1))), 1e-12)
    weight = float(run.test.numerical.mass) * g  # [N]
    ratio = limit_ratio(run.test, force) or weight_ratio(force, weight, "weight of the drogue")

    def at(k: int) -> np.ndarray:
        return tip(k)[1]

    return [Arrow("force on the drogue", at, lambda k: turns[k] @ force[k], scale, FORCE, ratio, at)]


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _nozzle(there: np.ndarray, turns: np.ndarray, origin: np.ndarray) -> Pose:
    """Return the pose of the probe from its pose in the drogue: position [m] and rotation vector [rad]."""
    from scipy.spatial.transform import Rotation

    own = Rotation.from_rotvec(there[:, 3:]).as_matrix()
    return lambda k: (turns[k] @ own[k], origin[k] + turns[k] @ there[k, :3])


@cache
def _probe() -> shapes.Triangles:
    """Return a nozzle on its tube; tip at the origin, along x."""
    return shapes.lathe(
        [(-1.5, 0), (-1.5, 0.04), (-0.6, 0.04), (-0.6, 0.03), (-0.2, 0.03), (-0.05, 0.02), (0.0, 0)]
    )


def _stands(anchors: np.ndarray) -> shapes.Triangles:
    """Return a post under each bungee anchor (n, 3) [m]."""
    return shapes.merge(*(shapes.rod_between((x, y, FLOOR), (x, y, z), 0.025) for x, y, z in anchors))


@cache
def _mass(long: float) -> shapes.Triangles:
    """Return a stack of discs below the end of the rope, along -x."""
    discs = [
        shapes.translate(shapes.rod(0.22, 0.8 * long / 4), (-long * (0.25 + 0.2 * i), 0, 0)) for i in range(4)
    ]
    return shapes.merge(shapes.translate(shapes.rod(0.03, long), (-long, 0, 0)), *discs)


@cache
def _gantry(reach: float) -> shapes.Triangles:
    """Return four posts, a frame, and the floor."""
    corners = [(x, y) for x in (-reach, reach) for y in (-reach, reach)]
    posts = [shapes.rod_between((x, y, FLOOR), (x, y, 0.0), 0.04) for x, y in corners]
    beams = [shapes.rod_between((-reach, y, 0), (reach, y, 0), 0.04) for y in (-reach, 0.0, reach)]
    beams += [shapes.rod_between((x, -reach, 0), (x, reach, 0), 0.04) for x in (-reach, reach)]
    floor = shapes.translate(shapes.box((3 * reach, 3 * reach, 0.05)), (0, 0, FLOOR))
    return shapes.merge(*posts, *beams, floor)
