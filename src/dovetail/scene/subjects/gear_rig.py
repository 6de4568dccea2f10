"""Landing gear on a rig of six axes: gear at its measured pose, simulated airframe at the demanded pose."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.recording import Recording
from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.spatial.pose import Pose
from dovetail.scene import shapes
from dovetail.scene.force_ratios import weight_ratio
from dovetail.scene.scene import Arrow, Points, Scene, Solid, Tube, aim_camera, fixed
from dovetail.scene.scene import Pose as Moving
from dovetail.scene.signal_plots import by_axis
from dovetail.specimens.deck_gear import DeckGear

SIMULATED, RIG, FORCE, STEEL = "#0072b2", "#d55e00", "#b5179e", "#8d969e"
MOUNT = 0.55  # fraction of the height of the gear: flange below the centre of gravity
LONGEST = 0.6  # [m] length of the arrow of the largest force


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw plate, gear and flange as measured; the simulated airframe translucent, as demanded."""
    gear = run.test.rig.specimen
    assert isinstance(gear, DeckGear)
    feet = np.asarray(gear.body.feet, float)
    demanded = poses(gear, by_axis(data["displacement"]))
    measured = (
        poses(gear, by_axis(data["measured_displacement"])) if "measured_displacement" in data else demanded
    )
    low, radius = float(-feet[:, 2].min()), float(gear.body.radius)
    here, there = _moving(*measured), _moving(*demanded)

    def places(k: int) -> np.ndarray:
        """Return the positions of the feet, not below the plate."""
        at = feet @ measured[0][k].T + measured[1][k]
        at[:, 2] = np.maximum(at[:, 2], radius)
        return at

    roots = feet * [0.8, 0.45, MOUNT]
    sides = [np.flatnonzero(np.sign(feet[:, 1]) == sign) for sign in (-1, 1)]

    def tubes(k: int) -> np.ndarray:
        at, R, p = places(k), *here(k)
        struts = np.stack([roots @ R.T + p, at], axis=1)
        skids = [
            at[[side[np.argmin(feet[side, 0])], side[np.argmax(feet[side, 0])]]]
            for side in sides
            if len(side)
        ]
        return np.concatenate([struts, np.stack([_longer(skid) for skid in skids])])

    solids = _solids(low, here, there)
    weight = float(gear.body.airframe.mass * gear.body.gravity)  # [N]
    arrows = _loads(by_axis(data["foot_force"]), places, radius, weight) if "foot_force" in data else []

    def notes(k: int) -> str:
        height, demand = (1e3 * p[k][2] for _, p in (measured, demanded))
        return f"centre of gravity {height:.4g} mm above the plate, demand {demand:.4g} mm"

    scene = Scene(
        title,
        data.time.values,
        (),
        arrows,
        notes=notes,
        solids=solids,
        tubes=[Tube("gear", tubes, max(1.6 * radius, 0.016), RIG)],
        marks=[("simulation: airframe", (0.0, -0.9, 1.35)), ("rig: gear", (-0.9, -1.0, 0.05))],
        focus=lambda k: measured[1][k],
        nearby=1.6,
    )
    return aim_camera(scene, (-0.5, 0.8, -0.3))


def _solids(low: float, here: Moving, there: Moving) -> list[Solid]:
    """Return the bodies that the rig moves, and the simulated airframe."""
    parts = _airframe(round(low, 3))
    flange = -MOUNT * low
    return [
        Solid("plate", shapes.translate(shapes.box((2.4, 2.0, 0.06)), (0, 0, -0.03)), fixed(), STEEL),
        Solid("flange", shapes.translate(shapes.box((0.7, 0.4, 0.05)), (0, 0, flange)), here, RIG),
        Solid("load cell", _upright(0.1, 0.08, flange + 0.025), here, FORCE),
        Solid("simulation/airframe", parts["body"], there, SIMULATED, 0.3),
        Solid("simulation/windows", parts["glass"], there, SIMULATED, 0.3),
        Solid("simulation/mast", parts["mast"], there, SIMULATED, 0.3),
    ]


def _loads(load: np.ndarray, places: Points, radius: float, weight: float) -> list[Arrow]:
    """Return force arrows of the plate on the feet, tubes of a given radius [m]."""
    scale = LONGEST / max(float(np.nanmax(np.abs(load))), 1e-12)

    def on(i: int) -> Arrow:
        def push(k: int) -> np.ndarray:
            return np.array([0.0, 0.0, load[k, i]])

        def touched(k: int) -> np.ndarray:
            return places(k)[i] - [0.0, 0.0, radius]

        ratio = weight_ratio(load[:, i], weight)
        return Arrow(f"foot {i + 1}", lambda k: places(k)[i], push, scale, FORCE, ratio, touched)

    return [on(i) for i in range(load.shape[1])]


def poses(gear: DeckGear, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation matrices (n, 3, 3) and positions (n, 3) [m] of the airframe for motions (n, 6)."""
    home = Pose(p=gear.body.init()["body"].p + gear.height * jnp.array([0.0, 0.0, 1.0]))
    pose = jax.jit(jax.vmap(lambda z: from_motion(home, z, jnp.zeros(6))[0]))(jnp.asarray(motion))
    return np.asarray(pose.R), np.asarray(pose.p)


def _moving(R: np.ndarray, p: np.ndarray) -> Moving:
    return lambda k: (R[k], p[k])


def _longer(skid: np.ndarray) -> np.ndarray:
    """Return a skid extended beyond its feet."""
    over = 0.25 * (skid[1] - skid[0])
    return np.stack([skid[0] - over, skid[1] + over])


def _upright(radius: float, tall: float, z: float) -> shapes.Triangles:
    upright = shapes.rotate(shapes.rod(radius, tall), np.array([0, 0, 1.0]), np.array([-1.0, 0, 0]))
    return shapes.translate(upright, (0, 0, z))


@cache
def _airframe(low: float) -> dict[str, shapes.Triangles]:
    return shapes.helicopter(1.2, -MOUNT * low + 0.1, 1.0)
