"""Report sections of an aircraft on moving decks: scene, phases, motion, loads, energy; and an animation.

The scene is a front view (port to the right, z up); a 3-D aircraft also has a side view. Gear and struts are lines, the
airframe is an outline, platforms are polygons, arrows are contact forces, dots are bristle anchors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.spatial import ConvexHull

from dovetail.core.decimate import decimate
from dovetail.core.errors import OutputError
from dovetail.mechanics.airframe.outcomes import Phase, phases
from dovetail.mechanics.securing.platform import poses, rotation_of
from dovetail.report.page import FigureBlock, PageSection, PageTable
from dovetail.report.style import COLOURS, WIDTH, figure_style, new_figure

SHADES = ("#0072b2", "#d55e00", "#009e73", "#a5408c", "#56b4e9", "#b8860b", "#20252b", "#8b939c")
PHASES = {"touchdown": "#b8860b", "secured": "#0072b2", "traverse": "#009e73", "released": "#b8860b"}
TINT = 0.14  # opacity of the colour of a phase
BODY = np.array([[-0.11, -0.2], [0.11, -0.2], [0.17, -0.05], [0.12, 0.13], [-0.12, 0.13], [-0.17, -0.05]])
VIEWS = {"front": (-2, -1), "side": (0, 2)}  # axes of a view: port and up, or forward and up
LONG = 0.35  # [m] arrow length of the aircraft's weight


class DeckScene:
    """Geometry of a run at each sample, for drawing."""

    def __init__(self, run: Any):
        self.craft, data = run.test.numerical, run.recording
        self.times = data.time.values
        self.nodes = data["node_position"].values
        self.position = data["displacement"].values
        self.force = data["contact_force"].values
        self.points = data["bristle_anchor"].values if "bristle_anchor" in data else None
        self.pairs = data["pair_normal_force"].values
        angles = np.asarray(data["attitude_angles"].values).reshape(len(self.times), -1)
        self.R = np.asarray(jax.vmap(rotation_of)(jnp.asarray(angles)))
        platform_poses = jax.jit(jax.vmap(lambda t: poses(self.craft.platforms, t)))(jnp.asarray(self.times))
        self.platform_r, self.platform_R = data["platform_position"].values, np.asarray(platform_poses[1])
        self.corners = [np.asarray(p.body.corners()) for p in self.craft.platforms]
        self.weight = float(self.craft.gravity) * (float(self.craft.airframe.mass) + self.craft.model.mass)
        self.pairs_of_nodes = list(self.craft.gear.elements)

    @property
    def spatial(self) -> bool:
        """Whether the aircraft is three-dimensional."""
        return self.nodes.shape[-1] == 3

    def outline(self, k: int, view: tuple[int, int]) -> np.ndarray:
        """Return the outline of the airframe, (n, 2) [m]."""
        d = self.nodes.shape[-1]
        body = np.zeros((len(BODY), d))
        body[:, list(view)] = BODY * ([1.0, 1.0] if view[0] == -2 else [2.6, 1.0])
        body = body - np.asarray(self.craft.offset)
        return (self.position[k] + body @ self.R[k].T)[:, list(view)]

    def platform(self, i: int, k: int, view: tuple[int, int]) -> np.ndarray:
        """Return the outline of a platform, (n, 2) [m]."""
        at = (self.corners[i] @ self.platform_R[k, i].T + self.platform_r[k, i])[:, list(view)]
        return at[ConvexHull(at).vertices] if self.spatial else at

    def struts(self, k: int, view: tuple[int, int]) -> list[np.ndarray]:
        """Return each strut as a line, (2, 2) [m]."""
        mounts = [np.asarray(s.mount - self.craft.offset) @ self.R[k].T for s in self.craft.struts]
        ends = [self.nodes[k, s.node - 1] for s in self.craft.struts]
        return [np.stack([self.position[k] + m, e])[:, list(view)] for m, e in zip(mounts, ends, strict=True)]


def draw(axes: Any, scene: DeckScene, k: int, view: str = "front") -> None:
    """Draw the scene at sample k."""
    at = VIEWS[view]
    for i, platform in enumerate(scene.craft.platforms):
        colour = "#b9c3cc" if platform.role == "deck" else "#d9a34a"
        axes.fill(*scene.platform(i, k, at).T, facecolor=colour, edgecolor=COLOURS["faint"], lw=0.6, zorder=1)
    axes.fill(*scene.outline(k, at).T, facecolor="#e4e8ec", edgecolor=COLOURS["ink"], lw=1.0, zorder=2)
    for line in scene.struts(k, at):
        axes.plot(*line.T, color=SHADES[2], lw=1.4, zorder=3)
    nodes = scene.nodes[k][:, list(at)]
    for a, b in scene.pairs_of_nodes:
        axes.plot(*nodes[[a, b]].T, color=SHADES[0], lw=2.0, zorder=4, solid_capstyle="round")
    for f, foot in enumerate(scene.craft.feet):
        push = LONG / scene.weight * scene.force[k, f][list(at)]
        push = push * min(1.0, 1.5 * LONG / max(np.hypot(*push), 1e-9))  # limited at impacts
        if np.hypot(*push) > 1e-3:
            # the arrow ends at the foot on which the force acts
            axes.annotate(
                "",
                nodes[foot],
                nodes[foot] - push,
                arrowprops={"arrowstyle": "-|>", "color": SHADES[3], "lw": 1.2, "shrinkA": 0, "shrinkB": 0},
                zorder=5,
            )
        if scene.points is not None:
            touching = scene.points[k, f][scene.pairs[k, f] > 0][:, list(at)]
            axes.plot(*touching.T, "o", ms=2.5, color=SHADES[1], zorder=6)
    axes.set_aspect("equal", adjustable="box")


def _window(axes: Any, scene: DeckScene, k: int, view: str, half: float = 0.65) -> None:
    x, y = scene.position[k][list(VIEWS[view])]
    axes.set(xlim=(x - half, x + half), ylim=(y - 0.62, y + 0.38))


def strip(scene: DeckScene, stretches: list[Phase], number: int = 5) -> tuple[Any, list[float]]:
    """Return a figure with views at the start of each phase and at the end, and their times [s]."""
    starts = [p.start for p in stretches] + [float(scene.times[-1])]
    even = np.linspace(scene.times[0], scene.times[-1], number).tolist()
    chosen = sorted(set(np.round(starts, 4))) if len(starts) > 3 else even
    if len(chosen) > number:
        chosen = [chosen[i] for i in np.round(np.linspace(0, len(chosen) - 1, number)).astype(int)]
    samples = [int(np.argmin(np.abs(scene.times - t))) for t in chosen]
    rows = ["front", "side"] if scene.spatial else ["front"]
    figure, panels = new_figure(len(rows), len(samples), width=WIDTH, height=1.65 * len(rows))
    for row, view in zip(panels, rows, strict=True):
        for axes, k in zip(row, samples, strict=True):
            draw(axes, scene, k, view)
            _window(axes, scene, k, view)
            axes.set_xticks([])
            axes.set_yticks([])
            if view == "front":
                axes.set_title(f"{scene.times[k]:.2f} s", fontsize=10, loc="center")
    return figure, [float(scene.times[k]) for k in samples]


def _shade(axes: Any, stretches: list[Phase], names: bool) -> None:
    for p in stretches:
        if p.name in PHASES:
            axes.axvspan(p.start, p.end, color=PHASES[p.name], alpha=TINT, lw=0, zorder=0)
        wide = p.end - p.start > 0.09 * (stretches[-1].end - stretches[0].start)
        if names and wide and len(stretches) > 1:
            place = ((p.start + p.end) / 2, 1.02)
            axes.annotate(p.name, place, xycoords=("data", "axes fraction"), ha="center", fontsize=10)


def _traces(
    t: np.ndarray, panels: list[tuple[str, list[tuple[str, np.ndarray]]]], stretches: list[Phase]
) -> Any:
    figure, axes = new_figure(len(panels), 1, height=1.5 * len(panels) + 0.4, sharex=True)
    with figure_style():
        for i, (label, lines) in enumerate(panels):
            _shade(axes[i, 0], stretches, i == 0)
            for (name, values), shade in zip(lines, SHADES, strict=False):
                axes[i, 0].plot(*decimate(t, values), color=shade, lw=1.0, label=name)
            axes[i, 0].set_ylabel(label)
            if len(lines) > 1:
                axes[i, 0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), fontsize=10)
        axes[-1, 0].set_xlabel("time [s]")
        figure.align_ylabels()
    return figure


def deck_sections(run: Any) -> list[PageSection]:
    """Return all sections of the report on such a run except the results."""
    data, craft = run.recording, run.test.numerical
    t, stretches, scene = data.time.values, phases(craft, data), DeckScene(run)
    d = scene.nodes.shape[-1]
    figure, strip_times = strip(scene, stretches)
    times = ", ".join(f"{v:.4g}" for v in strip_times)
    what = "front view" + ("; lower: side view from port" if scene.spatial else "")
    sections = [
        PageSection("Scene", [FigureBlock(figure, f"At {times} s, {what}; arrows: forces on the feet.")])
    ]
    if len(stretches) > 1:
        rows = [
            [p.name, f"{p.start:.2f}", f"{p.end:.2f}", f"{p.foot_load:.0f}", f"{p.clamp_load:.0f}"]
            for p in stretches
        ]
        head = ("phase", "start [s]", "end [s]", "largest foot load [N]", "largest clamp load [N]")
        sections.append(PageSection("Phases", [PageTable(head, rows, numbers=(1, 2, 3, 4))]))
    names = ("port",) if d == 2 else ("forward", "port")
    angles = np.degrees(np.asarray(data["attitude_angles"].values).reshape(len(t), -1))
    turned = [("airframe" if d == 2 else "roll", angles[:, 0])]
    turned += [] if d == 2 else [("pitch", angles[:, 1]), ("yaw", angles[:, 2])]
    turned += [(craft.platforms[0].name, np.degrees(data["platform_angle"].values[:, 0]))]
    panels = [
        ("position [m]", [(n, scene.position[:, i]) for i, n in enumerate(names)]),
        ("height [m]", [("", scene.position[:, -1])]),
        ("roll [deg]" if d == 2 else "angle [deg]", turned),
    ]
    sections.append(
        PageSection("Motion", [FigureBlock(_traces(t, panels, stretches), "Centre of mass and attitude.")])
    )
    sections.append(
        PageSection("Loads", [FigureBlock(_traces(t, _load_panels(run), stretches), "Force magnitudes.")])
    )
    caption = "Energy by source; residual is the integration error. Below: solver steps per sample."
    sections.append(
        PageSection(
            "Energy and solver steps", [FigureBlock(_traces(t, _cost_panels(run), stretches), caption)]
        )
    )
    return sections


def _load_panels(run: Any) -> list[tuple[str, list[tuple[str, np.ndarray]]]]:
    data, craft = run.recording, run.test.numerical
    d = data["axis"].size
    size = np.sqrt(np.sum(data["contact_force"].values ** 2, -1))
    panels = [("feet [N]", [(f"foot {i + 1}", size[:, i]) for i in range(size.shape[1])])]
    clamps = [i for i, p in enumerate(craft.platforms) if p.role == "clamp"]
    if clamps:
        pairs = data["pair_normal_force"].values
        panels.append(("clamps [N]", [(craft.platforms[i].name, pairs[:, :, i].max(1)) for i in clamps]))
    if "gear_wrench" in data:
        joint = np.sqrt(np.sum(data["gear_wrench"].values[..., :d] ** 2, -1))
        panels.append(("joints [N]", [(f"joint {i + 1}", joint[:, i]) for i in range(joint.shape[1])]))
    if craft.loads:
        wrench = data["air_wrench"].values
        panels.append(("air, up [N]", [("", wrench[:, d - 1])]))
        panels.append(("air, roll [N m]", [("", wrench[:, d])]))
    return panels


def _cost_panels(run: Any) -> list[tuple[str, list[tuple[str, np.ndarray]]]]:
    data = run.recording
    ledger = data["work_by_source"].values
    gravity = data["gravity_energy"].values
    energy = [
        ("kinetic", data["kinetic_energy"].values),
        ("gravity", gravity - gravity.min()),
        ("elastic", data["elastic_energy"].values),
        ("dissipated", -ledger[:, :3].sum(1)),
    ]
    panels = [("energy [J]", energy), ("residual [J]", [("", data["energy_residual"].values)])]
    if "solver_steps" in data:
        steps = np.diff(data["solver_steps"].values, axis=0, prepend=0)
        panels.append(("solver steps per sample", [("accepted", steps[:, 0]), ("rejected", steps[:, 1])]))
    return panels


def deck_animation(run: Any, *, fps: float = 12.5, speed: float = 1.0, half: float = 1.6) -> FuncAnimation:
    """Return an animation of the scene, `speed` times as fast as the run, in a window of `half` [m] to both sides."""
    scene = DeckScene(run)
    number = int(np.ptp(scene.times) * fps / speed + 1e-9) + 1
    frames = scene.times[0] + speed / fps * np.arange(number)
    samples = np.clip(np.searchsorted(scene.times, frames - 1e-9), 0, len(scene.times) - 1)
    stretches = phases(scene.craft, run.recording)
    figure, ((axes,),) = new_figure(height=4.2, width=5.6)
    FigureCanvasAgg(figure)
    figure.set_facecolor("white")
    low, high = scene.nodes[..., -1].min() - 0.15, scene.position[:, -1].max() + 0.4

    def show(i: int):
        k = int(samples[i])
        axes.clear()
        with figure_style():
            draw(axes, scene, k)
        axes.set(xlim=(-half, half), ylim=(low, high), xlabel="port [m]", ylabel="up [m]")
        now = next((p.name for p in stretches if p.start <= scene.times[k] <= p.end), "")
        loads = ", ".join(f"{v:.0f}" for v in np.sqrt(np.sum(scene.force[k] ** 2, -1)))
        axes.set_title(f"{scene.times[k]:6.2f} s   {now}   feet {loads} N", fontsize=10, loc="left")
        return []

    moving = FuncAnimation(figure, show, frames=len(frames), interval=1000 / fps, blit=False)
    moving._draw_was_started = True  # type: ignore[attr-defined]  # no warning if not all frames are drawn
    return moving


def write_deck_animation(run: Any, path: str | Path, *, fps: float = 12.5, **options: Any) -> Path:
    """Write the animation of the scene as a GIF; `options` are those of `deck_animation`."""
    path = Path(path)
    moving = deck_animation(run, fps=fps, **options)
    try:
        writer = PillowWriter(fps=fps)  # type: ignore[arg-type]  # annotated int, but any rate works
        moving.save(str(path), writer=writer, dpi=80)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path}: cannot be written ({reason}); choose another file") from error
    return path
