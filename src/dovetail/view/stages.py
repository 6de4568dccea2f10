"""From a recorded run to what is to be seen of it. What was recorded decides which picture is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.view import silhouettes
from dovetail.view.curves import by_axis, choices, curves
from dovetail.view.stage import Arrow, Line, Points, Stage, framed

DEMAND, MEASURED, FORCE, INK, FAINT = "#0072b2", "#d55e00", "#b5179e", "#333333", "#8d969e"
X, Y, Z = np.eye(3)
SAMPLES = 20_000  # of a recording that a viewer keeps; more are thinned


def stage_of(run: Any, ideal: Any = None, largest: float | None = None) -> Stage:
    """The stage of a run; `ideal`, where there is one, stands behind it as a ghost.

    Small motion is magnified so that the `largest` displacement [m] fills the picture; by default that of the run.

    Raises
    ------
    AnalysisError
        If nothing was recorded that has a place in space.
    """
    data = thinned(run.data).assign_attrs(largest=largest)
    title = str(getattr(run, "title", "") or data.attrs.get("title", "run"))
    behind = None if ideal is None else thinned(ideal.data)
    for needs, draw in PICTURES:
        if all(name in data for name in needs):
            stage = draw(title, run, data, behind)
            return dataclasses.replace(stage, plots=curves(run.data), choices=choices(run.data))
    raise AnalysisError(
        f"{title}: nothing in the recording has a place in space (needs one of "
        + "; ".join(", ".join(needs) for needs, _ in PICTURES)
        + ")"
    )


def pictures_of(run: Any, ideal: Any = None) -> dict[str, Stage]:
    """All pictures of a run by name: the machine, and the robot cell where one is known."""
    from dovetail.view.robot_cell import cell_of, cell_stage

    found = {"the machine": stage_of(run, ideal)}
    cell = cell_of(run)
    if cell is not None:
        stage = found["the machine"]
        found["the robot cell"] = cell_stage(stage.title, run, thinned(run.data), cell)
    return found


def thinned(data: xr.Dataset) -> xr.Dataset:
    """Every so many samples, so that no more are kept than a viewer can show."""
    every = max(1, -(-data.sizes["time"] // SAMPLES))
    return data.isel(time=slice(None, None, every))


# oscillators: masses on their springs, the rig beside them


def _oscillator(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """Each axis a row: the simulated mass in front, the rig's specimen behind it; motion along x, magnified."""
    demand = by_axis(data["displacement"])
    measured = by_axis(data["measured_displacement"]) if "measured_displacement" in data else demand
    largest = data.attrs["largest"] or max(float(np.nanmax(np.abs(demand))), 1e-12)
    magnified = 0.6 / largest
    lines: list[Line] = []
    arrows: list[Arrow] = []
    force = by_axis(data["measured_force"]) if "measured_force" in data else None
    for i in range(demand.shape[1]):
        y = 1.5 * i
        label = f"axis {i + 1}/" if demand.shape[1] > 1 else ""
        lines += _mass(f"{label}simulated", demand[:, i], magnified, (y, 0.0), DEMAND)
        lines += _mass(f"{label}on the rig", measured[:, i], magnified, (y, -0.7), MEASURED)
        if ideal is not None and "displacement" in ideal:
            wanted = by_axis(_on(ideal["displacement"], data))[:, i]
            lines += _mass(f"{label}ideal", wanted, magnified, (y, 0.0), FAINT, ghost=True)
        if force is not None:
            scale = 0.6 / max(float(np.nanmax(np.abs(force[:, i]))), 1e-12)
            at, pull = _along_x(magnified * measured[:, i], y - 0.54), _along_x(force[:, i], 0.0)
            arrows.append(Arrow(f"{label}force", at, pull, scale, FORCE))
    last = 1.5 * (demand.shape[1] - 1)
    corners = np.array([[-1.4, -0.85, -0.2], [0.8, last + 0.2, 0.2]])  # wherever the masses are now
    eye, target = framed([Line("", lambda k: corners)], 1)

    def notes(k: int) -> str:
        shown = ", ".join(f"{1e3 * z:+.3g}" for z in demand[k])
        read = ", ".join(f"{1e3 * z:+.3g}" for z in measured[k])
        return f"demand {shown} mm, measured {read} mm; drawn {magnified:.3g} times as large"

    return Stage(title, data.time.values, lines, arrows, (), "+z", eye, target, notes)


def _along_x(x: np.ndarray, y: float) -> Points:
    return lambda k: np.array([x[k], y, 0.0])


def _mass(
    name: str, x: np.ndarray, magnified: float, place: tuple[float, float], colour: str, ghost: bool = False
) -> list[Line]:
    """A block at the end of a spring."""
    y, dy = place
    square = 0.15 * np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1], [-1, 0, -1]], float)
    coil = np.linspace(0.0, 1.0, 25)

    def block(k: int) -> np.ndarray:
        return square + np.array([magnified * x[k], y + dy, 0.0])

    def spring(k: int) -> np.ndarray:
        end = magnified * x[k] - 0.15
        zigzag = 0.06 * np.where(np.arange(25) % 2 == 0, 1.0, -1.0) * ((coil > 0.1) & (coil < 0.9))
        return np.stack([-1.4 + (end + 1.4) * coil, np.full(25, y + dy), zigzag], axis=1)

    return [
        Line(f"{name}/mass", block, colour, 2.0 if ghost else 4.0, ghost),
        Line(f"{name}/spring", spring, colour if ghost else INK, 1.5, ghost),
    ]


# chains: ropes and hoses


def _chain(name: str, up: str) -> Callable[[str, Any, xr.Dataset, xr.Dataset | None], Stage]:
    def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
        nodes = _nodes(data, name)
        trail = nodes[:, -1]
        lines = [
            Line("chain", lambda k: nodes[k], DEMAND, 4.0),
            Line("trail of the tip", lambda k: _so_far(trail, k), FAINT, 1.5),
        ]
        if ideal is not None and name in ideal:
            wanted = _nodes(_on_all(ideal, data), name)
            lines.append(Line("ideal", lambda k: wanted[k], FAINT, 2.0, ghost=True))
        arrows: list[Arrow] = []
        forward, upward = (
            (X, -Z) if up == "-z" else (-X, -Y)
        )  # a hose in flight axes, a rope with x downstream
        if {"ball_joint_position", "drogue_position"} <= set(data):
            lines += _drogue(run, data)
            arrows = _contact(data)
            tanker = silhouettes.aircraft(0.5 * _size(nodes), forward, upward) + 0.2 * _size(nodes) * forward
            lines.append(Line("tanker", lambda k: tanker + nodes[k][0], FAINT, 2.0))
        else:
            plane = silhouettes.aircraft(0.15 * _size(nodes), forward, upward)
            device = silhouettes.arrowhead(0.03 * _size(nodes), forward, upward)
            lines.append(Line("aircraft", lambda k: plane + nodes[k][0], INK, 2.5))
            lines.append(Line("tip", lambda k: device + nodes[k][-1], MEASURED, 3.0))
        near = [line for line in lines if line.name in ("drogue", "probe")]  # where it happens
        eye, target = framed(near or lines, len(data.time), up)

        def notes(k: int) -> str:
            return f"tip at {', '.join(f'{v:.3g}' for v in nodes[k][-1])} m"

        return Stage(title, data.time.values, lines, arrows, (), up, eye, target, notes)

    return draw


def _drogue(run: Any, data: xr.Dataset) -> list[Line]:
    """The funnel about its axis, and the nozzle in front of it."""
    specimen = getattr(getattr(run.test, "rig", None), "specimen", None) or getattr(run.test, "system", None)
    depths = np.asarray(getattr(specimen, "depths", [0.0, 0.6]), float)
    radii = np.asarray(getattr(specimen, "radii", [0.1, 0.3]), float)
    joint, centre = data["ball_joint_position"].values, data["drogue_position"].values

    def ribs(k: int) -> np.ndarray:
        ahead, side, up = _axes(joint[k], centre[k])
        rows = []
        for a in np.linspace(0, 2 * np.pi, 12, endpoint=False):
            around = np.cos(a) * side + np.sin(a) * up
            rib = joint[k] - depths[:, None] * ahead + radii[:, None] * around
            rows += [rib, rib[::-1]]
        ring = np.linspace(0, 2 * np.pi, 37)
        mouth = (
            joint[k]
            - depths[-1] * ahead
            + radii[-1] * (np.cos(ring)[:, None] * side + np.sin(ring)[:, None] * up)
        )
        return np.concatenate([*rows, mouth])

    lines = [Line("drogue", ribs, INK, 2.0)]
    if "nozzle_position" in data:
        nozzle = data["nozzle_position"].values
        nose = silhouettes.aircraft(9.0, X, -Z) + np.array([-5.7, 0.6, 0.5])  # below and beside its probe
        lines.append(Line("probe", lambda k: np.stack([nozzle[k], nozzle[k] - [1.2, 0.0, 0.0]]), FORCE, 6.0))
        lines.append(Line("receiver", lambda k: nose + nozzle[k], FAINT, 2.0))
    return lines


def _axes(joint: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forward, to port and down, of a drogue with its ball joint ahead of its centre."""
    ahead = joint - centre
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-12)
    side = np.cross(ahead, Z)
    side = side / max(float(np.linalg.norm(side)), 1e-12)
    return ahead, side, np.cross(side, ahead)


def _contact(data: xr.Dataset) -> list[Arrow]:
    """The measured force where the nozzle touches; its components are in the drogue's axes."""
    if not {"nozzle_position", "measured_force"} <= set(data):
        return []
    joint, centre = data["ball_joint_position"].values, data["drogue_position"].values
    nozzle, force = data["nozzle_position"].values, by_axis(data["measured_force"])[:, :3]
    scale = 0.6 / max(float(np.abs(force).max()), 1e-12)

    def pull(k: int) -> np.ndarray:
        ahead, side, down = _axes(joint[k], centre[k])
        return force[k, 0] * ahead - force[k, 1] * side + force[k, 2] * down

    return [Arrow("force on the drogue", lambda k: nozzle[k], pull, scale, FORCE)]


# docking: the probe in the drogue's frame


def _probe(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    tip = data["probe_position"].values
    specimen = run.test.rig.specimen
    cavity = getattr(specimen, "cavity", None) or getattr(specimen, "geometry", None)
    outline = _cavity(cavity)
    radius = float(getattr(specimen, "radius", 0.01))
    tip_ball = silhouettes.ball(radius)
    pull = data["measured_force"].values[:, :3] if "measured_force" in data else np.zeros_like(tip)

    def touching(k: int) -> np.ndarray:
        """Where ball and wall meet: on the ball, along the force, on the side away from the axis."""
        size = float(np.linalg.norm(pull[k]))
        if size < 1e-3 * largest:
            return np.repeat(tip[k][None], 2, axis=0)
        reach = radius * pull[k] / size
        ends = tip[k] + np.stack([reach, -reach])
        return _cross(ends[np.argmax(np.linalg.norm(ends[:, 1:], axis=1))], 0.01)

    largest = max(float(np.abs(pull).max()), 1e-12)
    lines = [
        Line("drogue", lambda k: outline, INK, 1.5),
        Line("probe's tip", lambda k: tip_ball + tip[k], MEASURED, 2.5),
        Line("probe", lambda k: np.stack([tip[k], tip[k] + 0.12 * X]), MEASURED, 5.0),
        Line("contact", touching, FORCE, 5.0),
        Line("trail", lambda k: _so_far(tip, k), DEMAND, 2.0),
    ]
    if ideal is not None and "probe_position" in ideal:
        wanted = _on_all(ideal, data)["probe_position"].values
        lines.append(Line("ideal", lambda k: _so_far(wanted, k), FAINT, 2.0, ghost=True))
    scale = 0.1 / largest
    arrows = [Arrow("force", lambda k: tip[k], lambda k: pull[k], scale, FORCE)]
    eye, target = framed(lines, len(data.time))

    def notes(k: int) -> str:
        depth = 1e6 * float(data["depth"].values[k]) if "depth" in data else 0.0
        return f"penetration {max(depth, 0.0):.3g} um"

    return Stage(title, data.time.values, lines, arrows, (), "+z", eye, target, notes)


def _cavity(cavity: Any) -> np.ndarray:
    """Cylinder and cone about x as one polyline."""
    ring = np.linspace(0, 2 * np.pi, 49)
    radius, length, cone, angle = (
        float(getattr(cavity, name, default))
        for name, default in (
            ("cylinder_radius", 0.03),
            ("cylinder_length", 0.03),
            ("cone_length", 0.2),
            ("half_angle", 0.47),
        )
    )
    places = [(0.0, radius), (length, radius), (length + cone, radius + cone * np.tan(angle))]
    circles = [np.stack([np.full(49, x), r * np.cos(ring), r * np.sin(ring)], 1) for x, r in places]
    ribs = []
    for a in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        rib = np.array([[x, r * np.cos(a), r * np.sin(a)] for x, r in places])
        ribs += [rib, rib[::-1]]
    return np.concatenate([*circles, *ribs])


# small things


def _on(values: xr.DataArray, data: xr.Dataset) -> xr.DataArray:
    return values.interp(time=data.time, kwargs={"fill_value": "extrapolate"})


def _on_all(ideal: xr.Dataset, data: xr.Dataset) -> xr.Dataset:
    return ideal.interp(time=data.time, kwargs={"fill_value": "extrapolate"})


def _nodes(data: xr.Dataset, name: str) -> np.ndarray:
    """Positions (time, node, 3); of several chains the first."""
    values = data[name].transpose("time", ...).values
    while values.ndim > 3:
        values = values[:, 0]
    return values.transpose(0, 2, 1) if values.shape[1] == 3 and values.shape[2] != 3 else values


def _size(nodes: np.ndarray) -> float:
    """How far the tip is from the support at most, at the start, in the middle and at the end."""
    shown = nodes[[0, len(nodes) // 2, -1]]
    return float(np.linalg.norm(shown[:, -1] - shown[:, 0], axis=1).max()) or 1.0


def _so_far(path: np.ndarray, k: int) -> np.ndarray:
    start = max(0, k - 4000)
    shown = path[start : k + 1 : max(1, (k + 1 - start) // 400)]
    return shown if len(shown) > 1 else np.repeat(path[k][None], 2, axis=0)


def _cross(centre: np.ndarray, size: float) -> np.ndarray:
    arms = size * np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 0], [0, 0, 1], [0, 0, -1]]
    )
    return centre + arms


def platforms(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
    """An aircraft on its gear among platforms; see `view.aircraft`."""
    from dovetail.view.aircraft import draw

    return draw(title, run, data)


PICTURES: Sequence[tuple[Sequence[str], Callable[[str, Any, xr.Dataset, xr.Dataset | None], Stage]]] = (
    (("hose_position",), _chain("hose_position", "-z")),
    (("platform_position", "node_position"), platforms),
    (("node_position",), _chain("node_position", "-y")),
    (("probe_position",), _probe),
    (("displacement",), _oscillator),
)
