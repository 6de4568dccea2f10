"""Ropes and hoses in flight: a tanker with a drogue that a probe meets, or an aircraft that tows a device."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from dovetail.air import LatchedHose
from dovetail.air.trailing_rope import TrailingHose
from dovetail.scene import shapes
from dovetail.scene.force_ratios import of_limit, of_weight
from dovetail.scene.scene import Arrow, Line, Solid, Stage, Tube, corners, looked_at, so_far
from dovetail.scene.signal_plots import by_axis
from dovetail.scene.subjects import towed_rope
from dovetail.scene.subjects.towed_rope import follow, radius_of, tip_notes
from dovetail.testing import Rig

HOSE, PROBE, FORCE, INK, FAINT = "#333333", "#d55e00", "#b5179e", "#333333", "#8d969e"
SIMULATED, CANOPY, GREY = "#0072b2", "#e8a33d", "#b9c2ca"
PALE = "#7a848d"  # a hose in a room, which may be dark
CHAIN, SEEN = "chain", 2.2e-3  # its line; radius over distance of a tube that is two pixels wide
X, Y, Z = np.eye(3)


def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None, name: str) -> Stage:
    """The chain whose nodes are recorded as `name`."""
    ropes = nodes_of(data, name)
    nodes = ropes[:, 0]
    drogued = name == "hose_position"  # in axes of flight, its last piece the drogue's
    # however thin and far away, it is two pixels wide
    lines = [Line(CHAIN, lambda k: nodes[k], HOSE if drogued else SIMULATED, 2.0)]
    if ideal is not None and name in ideal:
        wanted = nodes_of(ideal, name)[:, 0]
        lines.append(Line("ideal", lambda k: wanted[k], FAINT, 2.0, ghost=True))
    return (
        _hose(title, run, data, nodes, lines) if drogued else towed_rope.stage(title, run, data, ropes, lines)
    )


def _ends(data: xr.Dataset, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the ball joint is, and the drogue's centre; where neither was recorded, the ends of the last piece."""
    if {"ball_joint_position", "drogue_position"} <= set(data):
        return data["ball_joint_position"].values, data["drogue_position"].values
    return nodes[:, -2], nodes[:, -1]


# a hose with a drogue, in axes forward, starboard, down


def _hose(title: str, run: Any, data: xr.Dataset, nodes: np.ndarray, lines: list[Line]) -> Stage:
    joint, centre = _ends(data, nodes)
    rig, simulated = run.test.rig, getattr(run.test, "numerical", None)
    parts = drogue_of(rig.specimen if isinstance(rig, Rig) else simulated)
    flies = simulated is None or hasattr(simulated, "air")  # a chain without air lies on the ground
    hue = HOSE if flies else PALE

    def attitude(k: int) -> tuple[np.ndarray, np.ndarray]:
        ahead, side, down = axes_of(joint[k], centre[k])
        return np.stack([ahead, side, -down], axis=1), joint[k]

    def tanker(k: int) -> tuple[np.ndarray, np.ndarray]:
        return np.eye(3), nodes[k][0] + [17.0, 0.0, -0.6]

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
    stage = Stage(
        title,
        data.time.values,
        [*lines, Line("way of the drogue", lambda k: so_far(centre, k), SIMULATED, 1.5, slow=True)],
        arrows,
        up="-z",
        notes=notes,
        solids=solids,
        tubes=[Tube("hose", lambda k: nodes[k], radius_of(run, 0.035), hue)],
        setting="sky" if flies else "room",
        focus=lambda k: centre[k],
        nearby=1.2,
    )
    stage = looked_at(stage, (0.45, 0.85, -0.25) if flies else (0.15, 0.95, -0.2), near)
    reach = float(np.linalg.norm(np.subtract(stage.eye, stage.target)))
    seen = stage.tubes[0].radius > SEEN * reach  # drawn as a body, it needs no line
    others = [line for line in stage.lines if line.name != CHAIN]
    drawn = [replace(line, colour=hue) for line in stage.lines if line.name == CHAIN and not seen]
    return replace(stage, lines=[*drawn, *others])


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
    return shapes.turned(shapes.aeroplane(36.0, 38.0, sweep=6.0, engines=True), X, -Z)


@cache
def _duct() -> shapes.Triangles:
    """An open tube ahead of its mouth, into which a hose is drawn."""
    return shapes.lathe([(0.0, 0.12), (0.0, 0.16), (3.0, 0.16), (3.0, 0.12), (0.0, 0.12)])


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


def _contact(
    run: Any, data: xr.Dataset, joint: np.ndarray, centre: np.ndarray, nozzle: np.ndarray
) -> list[Arrow]:
    """The measured force where the nozzle touches; its components are in the drogue's axes."""
    if "measured_force" not in data:
        return []
    force = by_axis(data["measured_force"])[:, :3]
    scale = 0.6 / max(float(np.abs(force).max()), 1e-12)

    def pull(k: int) -> np.ndarray:
        ahead, side, down = axes_of(joint[k], centre[k])
        return force[k, 0] * ahead - force[k, 1] * side + force[k, 2] * down

    hose = run.test.numerical
    weight = float(hose.drogue.mass * hose.gravity) if isinstance(hose, TrailingHose) else 0.0  # [N]
    share = of_limit(run.test, force) or of_weight(force, weight, "the drogue's weight")

    def tip(k: int) -> np.ndarray:
        return nozzle[k]

    return [Arrow("force on the drogue", tip, pull, scale, FORCE, share, tip)]


def nodes_of(data: xr.Dataset, name: str) -> np.ndarray:
    """Positions (time, chain, node, 3); a chain alone is the first of one."""
    values = data[name].transpose("time", ...).values
    values = values.reshape(len(values), -1, *values.shape[-2:])
    return np.swapaxes(values, 2, 3) if values.shape[2] == 3 and values.shape[3] != 3 else values
