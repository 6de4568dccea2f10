"""Figures of a rope in motion: 3-D snapshots and an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator


def snapshots(axes: Any, nodes: np.ndarray, *, number: int = 9) -> np.ndarray:
    """Draw snapshots of a rope into 3-D axes, darker is later; return the indices of the samples shown.

    `nodes` (samples, 3, nodes) [m] in axes x forward, y to port, z up. The rope moves equally far between two
    snapshots.
    """
    from dovetail.report.simulation import _moments

    places = _moments(nodes, number)
    for k, place in enumerate(places):
        x, y, z = nodes[place]
        shade = f"{0.8 - 0.8 * k / max(1, len(places) - 1):.3f}".lstrip("-")
        axes.plot(x, y, z, color=shade, lw=1.2)
    tip = nodes[:, :, -1]
    axes.plot(*tip.T, color="#d9730d", lw=0.8, label="path of the tip")
    _name(axes, nodes)
    return places


def rope_animation(nodes: np.ndarray, times: np.ndarray, *, frames: int = 80, title: str = "") -> Any:
    """Return a matplotlib animation of the rope with `frames` equal time steps and the path of the tip."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation

    places = np.linspace(0, len(nodes) - 1, frames).astype(int)
    figure = plt.figure(figsize=(6.4, 4.2))
    axes = figure.add_axes((0.0, 0.02, 1.0, 0.94), projection="3d")
    (rope,) = axes.plot([], [], [], color="#1f6fb2", lw=1.8)
    (path,) = axes.plot([], [], [], color="#d9730d", lw=0.8)
    (body,) = axes.plot([], [], [], "o", color="#222222", ms=5)
    axes.plot([0], [0], [0], "s", color="#222222", ms=6)
    words = figure.text(0.03, 0.93, "", family="monospace")
    _name(axes, nodes)

    def draw(frame):
        place = places[frame]
        x, y, z = nodes[place]
        rope.set_data_3d(x, y, z)
        before = nodes[max(0, place - len(nodes) // 4) : place + 1, :, -1]
        path.set_data_3d(*before.T)
        body.set_data_3d(x[-1:], y[-1:], z[-1:])
        words.set_text(f"{title}  {times[place]:6.1f} s".strip())
        return rope, path, body, words

    return FuncAnimation(figure, draw, frames=frames, interval=60, blit=False)


def save_animation(run: Any, path: str | Path, *, frames: int = 80) -> Path:
    """Write the motion of the chain of a run as a GIF."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import PillowWriter

    path = Path(path)
    data = run.recording
    animation = rope_animation(data["node_position"].values, data.time.values, frames=frames, title="")
    animation.save(path, writer=PillowWriter(fps=16))
    plt.close(plt.gcf())
    return path


def _name(axes: Any, nodes: np.ndarray) -> None:
    """Set equal scales around the whole motion, with axis labels."""
    x, y, z = (nodes[:, k] for k in range(3))
    largest = max(float(np.ptp(values)) for values in (x, y, z))
    spans = []
    for values, setting in ((x, axes.set_xlim), (y, axes.set_ylim), (z, axes.set_zlim)):
        middle = 0.5 * float(values.max() + values.min())
        span = max(1.1 * float(np.ptp(values)), 0.4 * largest)  # space for the labels of a plane motion
        setting(middle - span / 2, middle + span / 2)
        spans.append(span)
    axes.set_box_aspect(spans, zoom=1.1)
    axes.set_xlabel("forward [m]")
    axes.set_ylabel("to port [m]")
    axes.set_zlabel("height [m]")
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(3))
        axis.labelpad = 8
