"""Ropes and hoses in flight: a tanker with a drogue that a probe meets, or an aircraft that tows a device."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.air import CableDrag
from dovetail.testing import Rig
from dovetail.testing.runnable import Runnable
from dovetail.view import shapes
from dovetail.view.curves import by_axis
from dovetail.view.stage import Arrow, Line, Pose, Solid, Stage, Tube, looked_at, so_far

HOSE, PROBE, FORCE, INK, FAINT = "#333333", "#d55e00", "#b5179e", "#333333", "#8d969e"
SIMULATED, CANOPY, GREY = "#0072b2", "#e8a33d", "#b9c2ca"
X, Y, Z = np.eye(3)


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None, name: str) -> Stage:
    """The chain whose nodes are recorded as `name`."""
    nodes = nodes_of(data, name)
    drogued = {"ball_joint_position", "drogue_position"} <= set(data)
    # however thin and far away, it is two pixels wide
    lines = [Line("chain", lambda k: nodes[k], HOSE if drogued else SIMULATED, 2.0)]
    if ideal is not None and name in ideal:
        wanted = nodes_of(ideal, name)
        lines.append(Line("ideal", lambda k: wanted[k], FAINT, 2.0, ghost=True))
    return (_hose if drogued else _towing)(title, run, data, nodes, lines)


# a hose with a drogue, in axes forward, starboard, down


def _hose(title: str, run: Any, data: xr.Dataset, nodes: np.ndarray, lines: list[Line]) -> Stage:
    joint, centre = data["ball_joint_position"].values, data["drogue_position"].values
    rig = run.test.rig
    parts = drogue_of(rig.specimen if isinstance(rig, Rig) else run.test.numerical)

    def attitude(k: int) -> tuple[np.ndarray, np.ndarray]:
        ahead, side, down = axes_of(joint[k], centre[k])
        return np.stack([ahead, side, -down], axis=1), joint[k]

    def tanker(k: int) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), nodes[k][0] + [17.0, 0.0, -0.6]

    solids = [
        Solid("drogue/coupling", parts["coupling"], attitude, "#6b747c"),
        Solid("drogue/ribs", parts["ribs"], attitude, GREY),
        Solid("drogue/canopy", parts["canopy"], attitude, CANOPY, 0.85),
        Solid("tanker", _tanker(), tanker, GREY, scenery=True),
    ]
    arrows: list[Arrow] = []
    near = [joint.min(axis=0) - 1.0, joint.max(axis=0) + 1.0]
    if "nozzle_position" in data:
        nozzle = data["nozzle_position"].values
        probe, receiver = _receiver()
        solids += [
            Solid("probe", probe, _follow(nozzle), PROBE),
            Solid("receiver", receiver, _follow(nozzle), GREY, scenery=True),
        ]
        arrows = _contact(data, joint, centre, nozzle)
    notes = _tip_notes(nodes, "aircraft")
    stage = Stage(
        title,
        data.time.values,
        [*lines, Line("way of the drogue", lambda k: so_far(centre, k), SIMULATED, 1.5)],
        arrows,
        up="-z",
        notes=notes,
        solids=solids,
        tubes=[Tube("hose", lambda k: nodes[k], radius_of(run, 0.035), HOSE)],
        setting="sky",
        focus=lambda k: centre[k],
        nearby=1.2,
    )
    return looked_at(stage, (0.45, 0.85, -0.25), near)


def drogue_of(specimen: Any) -> dict[str, shapes.Triangles]:
    """Coupling, ribs and canopy about the ball joint, with the inner wall of what was tested where it has one."""
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
    return shapes.turned(shapes.aeroplane(36.0, 38.0, sweep=6.0), X, -Z)


@cache
def _receiver() -> tuple[shapes.Triangles, shapes.Triangles]:
    """A probe about its tip, and the aircraft behind and below it."""
    tube = shapes.lathe([(-1.6, 0), (-1.6, 0.045), (-0.25, 0.035), (-0.05, 0.02), (0.0, 0)])
    probe = shapes.joined(tube, shapes.between((-1.57, 0, 0), (-3.4, 0.35, 0.4), 0.06))
    plane = shapes.turned(shapes.aeroplane(15.0, 10.0, sweep=2.5), X, -Z)
    return probe, shapes.moved(plane, (-8.6, 0.75, 0.75))


def axes_of(joint: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forward, to port and down, of a drogue with its ball joint ahead of its centre."""
    ahead = joint - centre
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-12)
    side = np.cross(ahead, Z)
    side = side / max(float(np.linalg.norm(side)), 1e-12)
    return ahead, side, np.cross(side, ahead)


def _contact(data: xr.Dataset, joint: np.ndarray, centre: np.ndarray, nozzle: np.ndarray) -> list[Arrow]:
    """The measured force where the nozzle touches; its components are in the drogue's axes."""
    if "measured_force" not in data:
        return []
    force = by_axis(data["measured_force"])[:, :3]
    scale = 0.6 / max(float(np.abs(force).max()), 1e-12)

    def pull(k: int) -> np.ndarray:
        ahead, side, down = axes_of(joint[k], centre[k])
        return force[k, 0] * ahead - force[k, 1] * side + force[k, 2] * down

    return [Arrow("force on the drogue", lambda k: nozzle[k], pull, scale, FORCE)]


# a rope with a device at its end, in axes downstream, down, starboard


def _towing(title: str, run: Any, data: xr.Dataset, nodes: np.ndarray, lines: list[Line]) -> Stage:
    size = reach_of(nodes)
    plane, device = _towed(round(0.3 * size, 3), round(0.05 * size, 3))
    first, last = nodes[:, 0], nodes[:, -1]
    solids = [
        Solid("aircraft", plane, _follow(first), GREY),
        Solid("device", device, _follow(last), PROBE),
    ]
    stage = Stage(
        title,
        data.time.values,
        [*lines, Line("way of the tip", lambda k: so_far(last, k), FAINT, 1.5)],
        up="-y",
        notes=_tip_notes(nodes, "aircraft and device"),
        solids=solids,
        tubes=[Tube("rope", lambda k: nodes[k], radius_of(run, 0.005), SIMULATED)],
        setting="sky",
        focus=lambda k: last[k],
        nearby=0.12 * size,
    )
    return looked_at(stage, (0.3, 0.9, -0.2))


@cache
def _towed(plane: float, device: float) -> tuple[shapes.Triangles, shapes.Triangles]:
    """Aircraft and device, drawn large enough to be seen; the rope begins at the tail."""
    aircraft = shapes.turned(shapes.aeroplane(plane, 1.1 * plane, sweep=0.15 * plane), -X, -Y)
    return shapes.moved(aircraft, (-0.48 * plane, 0, 0)), shapes.turned(shapes.device(device), -X, -Y)


def _tip_notes(nodes: np.ndarray, signs: str) -> Callable[[int], str]:
    """Where the tip is, to a millimetre: what is less is the rounding's."""
    return lambda k: (
        f"tip at {', '.join(f'{v:.4g}' for v in np.round(nodes[k][-1], 3) + 0.0)} m; {signs} not to scale"
    )


def _follow(path: np.ndarray) -> Pose:
    return lambda k: (np.eye(3), path[k])


def radius_of(run: Any, otherwise: float) -> float:
    """Half the diameter [m] that the air meets, where the test has air on its chain."""
    parts = vars(run.test.numerical).values() if isinstance(run.test, Runnable) else ()
    drag = next((part for part in parts if isinstance(part, CableDrag)), None)
    return otherwise if drag is None else 0.5 * float(drag.diameter)


def nodes_of(data: xr.Dataset, name: str) -> np.ndarray:
    """Positions (time, node, 3); of several chains the first."""
    values = data[name].transpose("time", ...).values
    while values.ndim > 3:
        values = values[:, 0]
    return values.transpose(0, 2, 1) if values.shape[1] == 3 and values.shape[2] != 3 else values


def reach_of(nodes: np.ndarray) -> float:
    """How far the tip is from the support at most, at the start, in the middle and at the end."""
    shown = nodes[[0, len(nodes) // 2, -1]]
    return float(np.linalg.norm(shown[:, -1] - shown[:, 0], axis=1).max()) or 1.0
