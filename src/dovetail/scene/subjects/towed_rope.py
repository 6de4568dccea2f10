"""Towed or hanging rope in axes forward, port, up, with the end bodies of the test.

In fast airflow the rope is towed by an aeroplane, in slow airflow by a hovering helicopter; without airflow it hangs
from a clamp. The device parameters select the body at the tip: none, lump, stage, glider, drogue, load or device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dovetail.air import CableDrag, TowedRope
from dovetail.air.latching_device import Aerodynamic, NoDevice, TipDevice, TipForce, WingedStage
from dovetail.core.recording import Recording
from dovetail.core.si_prefix import FRACTION, value_text
from dovetail.scene import shapes
from dovetail.scene.scene import Arrow, Line, Pose, Scene, Solid, Tube, aim_camera, trail
from dovetail.testing.test import Test

ROPE, BODY, FORCE, FAINT, GREY = "#0072b2", "#d55e00", "#b5179e", "#8d969e", "#b9c2ca"
WHITE, DARK, GLASS = "#e8ecef", "#3d444b", "#2f4b66"
_, Y, Z = np.eye(3)
HOVER = 25.0  # [m/s] airspeed below which a helicopter tows
HEAVY = 5000.0  # [kg] mass above which a winged body is a stage, otherwise a glider


def scene(title: str, run: Any, data: Recording, ropes: np.ndarray, lines: list[Line]) -> Scene:
    """Return the scene of ropes (time, rope, node, 3) [m] at one support; the notes describe the first."""
    system = towed(run)
    nodes = ropes[:, 0]
    size = reach_of(nodes)
    first, last = nodes[:, 0], nodes[:, -1]
    speed = float(system.airspeed) if system is not None and system.airflow == "on" else 0.0  # [m/s]
    flies, slow = speed > 0, speed < HOVER
    above = _support(round(size, 3), flies, slow)
    solids = [Solid(name, mesh, follow(first), *look) for name, mesh, look in above]
    device = NoDevice() if system is None else system.device
    pose = _attitude(data, last) if isinstance(device, Aerodynamic) else follow(last)
    carried = _tip_body(device, round(size, 3), slow)
    solids += [Solid(name, mesh, pose, *look) for name, mesh, look in carried]
    solids += [
        Solid(f"{name} {i + 1}", mesh, follow(ropes[:, i, -1]), *look)
        for i in range(1, ropes.shape[1])
        for name, mesh, look in carried
    ]
    others = [
        Line(f"rope {i + 1}", _along(ropes[:, i]), ROPE, 2.0, ghost=True) for i in range(1, ropes.shape[1])
    ]
    arrows = []
    if isinstance(device, TipForce):
        pull = np.asarray(device.pull, float)
        scale = 0.25 * size / max(float(np.linalg.norm(pull)), 1e-12)
        arrows = [Arrow("pull", lambda k: last[k], lambda k: pull, scale, FORCE)]
    scene = Scene(
        title,
        data.time.values,
        [*lines, *others, Line("path of the tip", lambda k: trail(last, k), FAINT, 1.5, slow=True)],
        arrows,
        notes=_notes(data, nodes, system),
        solids=solids,
        tubes=[Tube("rope", lambda k: nodes[k], radius_of(run, 0.005), ROPE)],
        setting="sky" if flies else "room",
        focus=lambda k: last[k],
        nearby=(0.4 if isinstance(device, WingedStage) else 0.12) * size,
    )
    return aim_camera(scene, (-0.35, -0.85, -0.28) if flies else (-0.3, -0.9, -0.2))


def draw(title: str, run: Any, data: Recording, reference: Recording | None) -> Scene:
    """Draw several ropes straight, because only their tips were recorded."""
    tips = data["displacement"].transpose("time", ..., "axis").values
    ropes = np.stack([np.zeros_like(tips), tips], axis=2)
    drawn = scene(title, run, data, ropes, [])
    notes = drawn.notes
    return replace(drawn, notes=lambda k: f"{notes(k)}; ropes drawn straight (only tips recorded)")


def towed(run: Any) -> TowedRope | None:
    """Return the towed rope of a run, for a fleet its base rope, or None."""
    system = run.test.numerical if isinstance(run.test, Test) else None
    system = getattr(system, "rope", system)
    return system if isinstance(system, TowedRope) else None


Look = tuple[str, float]  # colour and opacity
Part = tuple[str, shapes.Triangles, Look]


@cache
def _support(size: float, flies: bool, hovers: bool) -> list[Part]:
    """Return the support at the first node, scaled with the reach of the rope [m] to be visible."""
    if not flies:
        plate = shapes.translate(shapes.box((0.1 * size, 0.1 * size, 0.015 * size)), (0, 0, 0.0075 * size))
        return [("support", plate, (DARK, 1.0))]
    if hovers:
        parts = shapes.helicopter(0.16 * size, 0.0, 0.2 * size)
        parts["body"] = shapes.merge(parts["body"], shapes.skids(0.16 * size, 0.0))
        looks = {"body": (GREY, 1.0), "glass": (GLASS, 1.0), "mast": (DARK, 1.0), "rotor": (DARK, 0.25)}
        return [(f"helicopter/{name}", mesh, looks[name]) for name, mesh in parts.items()]
    plane = shapes.aeroplane(0.3 * size, 0.33 * size, sweep=0.045 * size, engines=True)
    return [("aircraft", shapes.translate(plane, (0.144 * size, 0, 0)), (GREY, 1.0))]


def _tip_body(device: TipDevice, size: float, slow: bool) -> list[Part]:
    """Return the body at the tip, selected by the device parameters."""
    if isinstance(device, WingedStage):
        heavy = float(device.mass) > HEAVY
        return _with_wings(size, heavy)
    if isinstance(device, Aerodynamic):
        steered = float(device.lift_area) > 0 or float(device.side_area) > 0
        return _flown(size, "device" if steered else "load" if slow else "drogue")
    return _flown(size, "lump") if float(device.mass) > 0 else []


@cache
def _with_wings(size: float, heavy: bool) -> list[Part]:
    """Return a stage with the capture device at its nose, or a glider; the tip is at the nose."""
    if not heavy:
        glider = shapes.aeroplane(0.16 * size, 0.36 * size, sweep=0.005 * size, high_tail=True)
        return [("glider", shapes.translate(glider, (-0.08 * size, 0, 0)), (WHITE, 1.0))]
    looks = {"body": (WHITE, 1.0), "engines": (DARK, 1.0)}
    parts = shapes.rocket_stage(0.24 * size)
    return [
        ("device", shapes.device(0.03 * size), (BODY, 1.0)),
        *((f"stage/{name}", mesh, looks[name]) for name, mesh in parts.items()),
    ]


@cache
def _flown(size: float, body: str) -> list[Part]:
    if body == "drogue":
        parts = shapes.drogue((0.0, 0.04 * size), (0.006 * size, 0.03 * size))
        looks = {"coupling": (DARK, 1.0), "ribs": (GREY, 1.0), "canopy": ("#e8a33d", 0.85)}
        return [(f"drogue/{name}", mesh, looks[name]) for name, mesh in parts.items()]
    if body == "load":
        crate = shapes.translate(shapes.box((0.07 * size,) * 3), (0, 0, -0.035 * size))
        return [("load", crate, (BODY, 1.0))]
    mesh = shapes.ellipsoid((0.02 * size,) * 3) if body == "lump" else shapes.device(0.05 * size)
    return [(body, mesh, (BODY, 1.0))]


def _attitude(data: Recording, path: np.ndarray) -> Pose:
    """Return the pose along a path (time, 3) with the recorded pitch (nose up) and yaw (nose to starboard)."""
    from scipy.spatial.transform import Rotation

    if "tip_attitude" not in data or data["tip_attitude"].sizes.get("time") != len(path):
        return follow(path)
    angles = data["tip_attitude"].transpose("time", ...).values.reshape(len(path), -1)[:, :2]
    turns = Rotation.from_rotvec(-angles[:, 1:] * Z - angles[:, :1] * Y).as_matrix()
    return lambda k: (turns[k], path[k])


def _notes(data: Recording, nodes: np.ndarray, system: TowedRope | None) -> Callable[[int], str]:
    """Return text with tip position, tension and tension in % of the breaking strength."""
    position = tip_notes(nodes, "end bodies")
    if "tension" not in data:
        return position
    pull = data["tension"].transpose("time", ...).values.reshape(len(nodes), -1)
    strength = None if system is None or system.breaking_strength is None else float(system.breaking_strength)

    def notes(k: int) -> str:
        peak = float(np.nanmax(pull[k]))
        used = (
            "" if strength is None else f", {value_text(peak / strength, FRACTION)} of the breaking strength"
        )
        return f"{position(k)}; at this time tension {value_text(peak, 'N')}{used}"

    return notes


def tip_notes(nodes: np.ndarray, bodies: str) -> Callable[[int], str]:
    """Return text with the tip position, rounded to 1 mm; `bodies` names the bodies that are not to scale."""
    return lambda k: (
        f"tip at {', '.join(f'{v:.4g}' for v in np.round(nodes[k][-1], 3) + 0.0)} m; {bodies} not to scale"
    )


def follow(path: np.ndarray) -> Pose:
    """Return an unrotated pose along a path (time, 3)."""
    return lambda k: (np.eye(3), path[k])


def _along(nodes: np.ndarray) -> Callable[[int], np.ndarray]:
    return lambda k: nodes[k]


def radius_of(run: Any, otherwise: float) -> float:
    """Return the rope radius [m] from its drag parameters, or `otherwise` without drag."""
    parts = vars(run.test.numerical).values() if isinstance(run.test, Test) else ()
    drag = next((part for part in parts if isinstance(part, CableDrag)), None)
    return otherwise if drag is None else 0.5 * float(drag.diameter)


def reach_of(nodes: np.ndarray) -> float:
    """Return the largest distance of tip and support at the start, in the middle and at the end."""
    ends = nodes[[0, len(nodes) // 2, -1]]
    return float(np.linalg.norm(ends[:, -1] - ends[:, 0], axis=1).max()) or 1.0
