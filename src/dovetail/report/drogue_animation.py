"""A drogue struck by a nozzle, as a moving picture: hose, funnel and probe from the side, one panel for each run.

The funnel is drawn as it is unloaded: where the probe crosses its wall, the ribs are pushed aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from dovetail.report.style import COLOURS
from dovetail.testing import Run

FRAMES = 40
MILLISECONDS = 90  # that a frame is shown
BEFORE = 0.05  # [s] shown before first contact
VIEW = (-1.05, 0.45, -0.55, 0.45)  # [m] behind and below the ball joint's place in steady flight


def animate(runs: Sequence[Run], labels: Sequence[str], path: str | Path) -> Path:
    """Write a GIF of the contact, all runs side by side, slowed down; each stands still once it has ended."""
    figure = Figure(figsize=(3.0 * len(runs), 2.5), dpi=90, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(runs), squeeze=False)[0]
    scenes = [Scene(run, label, panel) for run, label, panel in zip(runs, labels, panels, strict=True)]
    first = min(scene.contact for scene in scenes) - BEFORE
    last = max(float(run.data.time[-1]) for run in runs)
    images = []
    for t in np.linspace(max(first, 0.0), last, FRAMES):
        for scene in scenes:
            scene.show(t)
        canvas.draw()
        images.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy()).quantize(48))
    path = Path(path)
    times = [MILLISECONDS] * (FRAMES - 1) + [1500]
    images[0].save(path, save_all=True, append_images=images[1:], duration=times, loop=0, optimize=False)
    return path


class Scene:
    """One run in one panel."""

    def __init__(self, run: Run, label: str, panel):
        self.data, self.panel = run.data, panel
        self.times = run.data.time.values
        specimen = run.test.rig.specimen
        self.depths, self.radii = np.asarray(specimen.depths), np.asarray(specimen.radii)
        self.origin = run.data["ball_joint_position"].values[0]
        touched = np.flatnonzero(np.any(run.data["force"].values != 0, axis=1))
        self.contact = float(self.times[touched[0]]) if touched.size else float(self.times[-1])
        (self.hose,) = panel.plot([], [], color="0.45", lw=2.5)
        (self.coupling,) = panel.plot([], [], color="0.45", lw=4.0)
        (self.upper,) = panel.plot([], [], color=COLOURS["demand"], lw=2.0)
        (self.lower,) = panel.plot([], [], color=COLOURS["demand"], lw=2.0)
        (self.probe,) = panel.plot([], [], color=COLOURS["critical"], lw=3.0, solid_capstyle="round")
        self.clock = panel.text(0.03, 0.03, "", transform=panel.transAxes, fontsize=8)
        panel.set_title(label, fontsize=9)
        panel.set_xlim(VIEW[0], VIEW[1])
        panel.set_ylim(VIEW[2], VIEW[3])
        panel.set_aspect("equal")
        panel.set_xticks([])
        panel.set_yticks([])

    def show(self, t: float) -> None:
        """Draw the moment t [s], or the last one before it."""
        i = int(np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 1))
        hose = self.data["hose_position"].values[i]
        hose = hose if hose.shape[0] == 3 else hose.T
        self.hose.set_data(*self._side(hose[:, :-1]))
        joint = self.data["ball_joint_position"].values[i]
        ahead = joint - self.data["drogue_position"].values[i]
        ahead = ahead / np.linalg.norm(ahead)
        up = np.array([ahead[2], 0.0, -ahead[0]])
        axis = joint[:, None] - ahead[:, None] * self.depths
        self.coupling.set_data(*self._side(np.stack([joint, axis[:, 1]], axis=1)))
        self.upper.set_data(*self._side(axis + up[:, None] * self.radii))
        self.lower.set_data(*self._side(axis - up[:, None] * self.radii))
        nozzle = self.data["nozzle_position"].values[i]
        self.probe.set_data(*self._side(np.stack([nozzle, nozzle - [0.6, 0.0, 0.0]], axis=1)))
        over = t >= self.times[-1]
        self.clock.set_text(f"{1e3 * (self.times[i] - self.contact):+.0f} ms" + ("  (ended)" if over else ""))

    def _side(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forward and up of points (3, n), from the ball joint's place in steady flight."""
        moved = points - self.origin[:, None]
        return moved[0], -moved[2]
