"""Ropes and hoses in flight: tanker, drogue and probe, or an aircraft that tows a device."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from dovetail.air import LatchedHose
from dovetail.air.drogue_hose import TrailingHose
from dovetail.core.recording import Recording
from dovetail.scene import shapes
from dovetail.scene.force_ratios import limit_ratio, weight_ratio
from dovetail.scene.scene import Arrow, Line, Scene, Solid, Tube, aim_camera, corners, trail
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects import towed_rope
from dovetail.scene.subjects.towed_rope import follow, radius_of, tip_notes
from dovetail.testing import Rig

HOSE, PROBE, FORCE, INK, FAINT = "#333333", "#d55e00", "#b5179e", "#333333", "#8d969e"
SIMULATED, CANOPY, GREY = "#0072b2", "#e8a33d", "#b9c2ca"
PALE = "#7a848d"  # hose in a room, visible on light and dark background
CHAIN, SEEN = "chain", 2.2e-3  # name of its line; radius / distance of a tube two pixels wide
Z = np.eye(3)[2]


def draw(title: str, run: Any, data: Recording, reference: Recording | None, name: str) -> Scene:
    """Draw the chain whose nodes are recorded as `name`."""
    ropes = nodes_of(data, name)
    nodes = ropes[:, 0]
    drogued = name == "hose_position"  # the last element is the drogue
    # at least two pixels wide
    lines = [Line(CHAIN, lambda k: nodes[k], HOSE if drogued else SIMULATED, 2.0)]
    if reference is not None and name in reference:
        reference_motion = nodes_of(reference, name)[:, 0]
        lines.append(Line("reference", lambda k: reference_motion[k], FAINT, 2.0, ghost=True))
    return (
        _hose(title, run, data, nodes, lines) if drogued else towed_rope.scene(title, run, data, ropes, lines)
    )


def _ends(data: Recording, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ball joint and drogue centre; if not recorded, the ends of the last element."""
    if {"ball_joint_position", "drogue_position"} <= set(data):
        return data["ball_joint_position"].values, data["drogue_position"].values
    return nodes[:, -2], nodes[:, -1]


def _hose(title: str, run: Any, data: Recording, nodes: np.ndarray, lines: list[Line]) -> Scene:
    joint, centre = _ends(data, nodes)
    rig, simulated = run.test.rig, getattr(run.test, "numerical", None)
    parts = drogue_of(rig.specimen if isinstance(rig, Rig) else simulated)
    flies = simulated is None or isinstance(
        simulated, TrailingHose
    )  # a chain without airflow is on the ground
    hue = HOSE if flies else PALE

    def attitude(k: int) -> tuple[np.ndarray, np.ndarray]:
        return axes_of(joint[k], centre[k]), joint[k]

    def tanker(k: int) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), nodes[k][0] + [17.0, 0.0, 0.6]

    solids = [
        Solid("drogue/coupling", parts["coupling"], attitude, "#6b747c"),
        Solid("drogue/ribs", parts["ribs"], attitude, GREY),
        Solid("drogue/canopy", parts["canopy"], attitude, CANOPY, 0.85),
    ]
    if flies:
        solids.append(Solid("tanker", _tanker(), tanker, GREY, scenery=True))
    else:
        solids.append(Solid("duct", _duct(), follow(nodes[:, 0]), GREY))
    arrows: list[Arrow] = []
    near = corners(joint.min(axis=0) - 1.0, joint.max(axis=0) + 1.0) if flies else None
    nozzle = data["nozzle_position"].values if "nozzle_position" in data else None
    if isinstance(simulated, LatchedHose):
        nozzle = centre
    if nozzle is not None:
        probe, receiver = _receiver()
        solids += [
            Solid("probe", probe, follow(nozzle), PROBE),
            Solid("receiver", receiver, follow(nozzle), GREY, scenery=True),
        ]
        arrows = _contact(run, data, joint, centre, nozzle)
    notes = tip_notes(nodes, "aircraft" if flies else "duct and drogue")
    scene = Scene(
        title,
        data.time.values,
        [*lines, Line("path of the drogue", lambda k: trail(centre, k), SIMULATED, 1.5, slow=True)],
        arrows,
        notes=notes,
        solids=solids,
        tubes=[Tube("hose", lambda k: nodes[k], radius_of(run, 0.035), hue)],
        setting="sky" if flies else "room",
        focus=lambda k: centre[k],
        nearby=1.2,
    )
    scene = aim_camera(scene, (0.45, -0.85, -0.25) if flies else (0.15, -0.95, -0.2), near)
    reach = float(np.linalg.norm(np.subtract(scene.eye, scene.target)))
    seen = scene.tubes[0].radius > SEEN * reach  # drawn as a body, without line
    others = [line for line in scene.lines if line.name != CHAIN]
    drawn = [replace(line, colour=hue) for line in scene.lines if line.name == CHAIN and not seen]
    return replace(scene, lines=[*drawn, *others])


def drogue_of(specimen: Any) -> dict[str, shapes.Triangles]:
    """Return coupling, ribs and canopy about the ball joint, with the inner wall of the specimen if it has one."""
    depths, radii = (
        tuple(np.atleast_1d(np.asarray(getattr(specimen, name, otherwise), float)).tolist())
        for name, otherwise in (("depths", (0.0, 0.6)), ("radii", (0.1, 0.3)))
    )
    return _drogue(depths, radii)


@cache
def _drogue(depths: tuple[float, ...], radii: tuple[float, ...]) -> dict[str, shapes.Triangles]:
    return shapes.drogue(depths, radii)


@cache
def _tanker() -> shapes.Triangles:
    return shapes.aeroplane(36.0, 38.0, sweep=6.0, engines=True)


@cache
def _duct() -> shapes.Triangles:
    """Return an open tube ahead of its mouth, into which the hose is reeled."""
    return shapes.lathe([(0.0, 0.12), (0.0, 0.16), (3.0, 0.16), (3.0, 0.12), (0.0, 0.12)])


@cache
def _receiver() -> tuple[shapes.Triangles, shapes.Triangles]:
    """Return a probe about its tip, and the receiver aircraft."""
    tube = shapes.lathe([(-1.6, 0), (-1.6, 0.045), (-0.25, 0.035), (-0.05, 0.02), (0.0, 0)])
    probe = shapes.merge(tube, shapes.rod_between((-1.57, 0, 0), (-3.4, -0.35, -0.4), 0.06))
    return probe, shapes.translate(shapes.aeroplane(15.0, 10.0, sweep=2.5), (-8.6, -0.75, -0.75))


def axes_of(joint: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return the forward, port and up axes of a drogue as columns (3, 3), from ball joint and centre."""
    ahead = joint - centre
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-12)
    side = np.cross(Z, ahead)
    side = side / max(float(np.linalg.norm(side)), 1e-12)
    return np.stack([ahead, side, np.cross(ahead, side)], axis=1)


def _contact(
    run: Any, data: Recording, joint: np.ndarray, centre: np.ndarray, nozzle: np.ndarray
) -> list[Arrow]:
    """Return the measured force at the nozzle; its components are in the axes of the drogue."""
    if "measured_force" not in data:
        return []
    force = by_axis(data["measured_force"])[:, :3]
    scale = 0.6 / max(float(np.abs(force).max()), 1e-12)

    hose = run.test.numerical
    weight = float(hose.drogue.mass * hose.gravity) if isinstance(hose, TrailingHose) else 0.0  # [N]
    ratio = limit_ratio(run.test, force) or weight_ratio(force, weight, "weight of the drogue")

    def tip(k: int) -> np.ndarray:
        return nozzle[k]

    return [
        Arrow(
            "force on the drogue",
            tip,
            lambda k: axes_of(joint[k], centre[k]) @ force[k],
            scale,
            FORCE,
            ratio,
            tip,
        )
    ]


def nodes_of(data: Recording, name: str) -> np.ndarray:
    """Return node positions (time, chain, node, 3), also of a single chain."""
    values = data[name].transpose("time", ...).values
    values = values.reshape(len(values), -1, *values.shape[-2:])
    return np.swapaxes(values, 2, 3) if values.shape[2] == 3 and values.shape[3] != 3 else values
