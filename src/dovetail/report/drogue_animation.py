"""A drogue struck by a nozzle as a scene: hose, funnel and probe from the side, as they were recorded.

The funnel is drawn as it is unloaded: where the probe crosses its wall, the ribs are pushed aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dovetail.report.animation import Bending, Body, Scene, animated, write_gif
from dovetail.report.style import COLOURS
from dovetail.testing import Run

FRAMES = 40
FPS = 11.0
BEFORE = 0.05  # [s] shown before first contact
REACH = ((-1.05, 0.45), (-0.1, 0.1), (-0.55, 0.45))  # [m] about the ball joint's place in steady flight, z up
PROBE = 0.6  # [m] of it that is drawn
UP = np.array([1.0, 1.0, -1.0])  # recorded positions have z down


def animate(runs: Sequence[Run], labels: Sequence[str], path: str | Path) -> Path:
    """Write a GIF of the contact, all runs side by side, slowed down; each stands still once it has ended."""
    first = min(first_contact(run) for run in runs) - BEFORE
    last = max(float(run.data.time[-1]) for run in runs)
    times = np.linspace(max(first, 0.0), last, FRAMES)
    scenes = [scene(run, label, times) for run, label in zip(runs, labels, strict=True)]
    return write_gif(animated(scenes, times, reach=REACH, view="side"), path, fps=FPS, dpi=90, rest=1.5)


def first_contact(run: Run) -> float:
    """When [s] the first force was felt; the end where none was."""
    touched = np.flatnonzero(np.any(run.data["force"].values != 0, axis=1))
    return float(run.data.time[touched[0] if touched.size else -1])


def scene(run: Run, label: str, times: np.ndarray) -> Scene:
    """A run at some times [s], or the last recorded moment before each."""
    data, clock = run.data, run.data.time.values
    places = np.clip(np.searchsorted(clock, times, side="right") - 1, 0, len(clock) - 1)

    def at(name: str) -> np.ndarray:
        return data[name].values[places]

    start = data["ball_joint_position"].values[0]
    hose, joint = at("hose_position"), at("ball_joint_position")
    hose = np.swapaxes(hose, 1, 2) if hose.shape[1] == 3 else hose
    ahead = joint - at("drogue_position")
    ahead = UP * ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
    above = np.stack([-ahead[:, 2], 0 * ahead[:, 0], ahead[:, 0]], axis=1)
    aside = np.cross(above, ahead)
    specimen = run.test.rig.specimen
    depths, radii = np.asarray(specimen.depths), np.asarray(specimen.radii)
    walls = [np.stack([-depths, 0 * depths, sign * radii], axis=1) for sign in (1, -1)]
    coupling = np.array([[0.0, 0.0, 0.0], [-depths[1], 0.0, 0.0]])
    drogue = {"R": np.stack([ahead, aside, above], axis=2), "p": UP * (joint - start)}
    touched = first_contact(run)
    notes = [
        f"{1e3 * (clock[i] - touched):+.0f} ms" + ("  (ended)" if t >= clock[-1] else "")
        for i, t in zip(places, times, strict=True)
    ]
    bodies: list[Body | Bending] = [
        Bending(UP * (hose[:, :-1] - start), COLOURS["faint"], 2.5),
        Body([coupling], COLOURS["faint"], 4.0, **drogue),
        Body(walls, COLOURS["demand"], 2.0, **drogue),
        Body(
            [np.array([[0.0, 0.0, 0.0], [-PROBE, 0.0, 0.0]])],
            COLOURS["critical"],
            3.0,
            p=UP * (at("nozzle_position") - start),
        ),
    ]
    return Scene(label, bodies, notes=notes)
