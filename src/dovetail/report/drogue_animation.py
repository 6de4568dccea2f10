"""Animation of a nozzle striking a drogue, several runs side by side, with hose, drogue and probe as solids.

The drogue is drawn undeformed: where the probe crosses its wall, the ribs are deflected.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dovetail.scene.build import build_scene
from dovetail.scene.film import FilmScene, FilmSettings, write_film
from dovetail.scene.scene import Scene
from dovetail.testing import Run

FRAMES = 36
FPS = 11.0
BEFORE = 0.05  # [s] shown before first contact
SIZE = 300, 240  # [px] of each run


def animate(runs: Sequence[Run], labels: Sequence[str], path: str | Path) -> Path:
    """Write a GIF of the contact, all runs side by side in slow motion; a finished run shows its last frame."""
    first = max(min(first_contact(run) for run in runs) - BEFORE, 0.0)
    takes = [FilmScene(scene_from(run, first), label) for run, label in zip(runs, labels, strict=True)]
    longest = max(take.scene.duration for take in takes)
    slower = max(round(FRAMES / FPS / longest), 1)
    cut = FilmSettings(SIZE[0] * len(takes), SIZE[1], FPS, 1 / slower, "close-up", rest=1.5)
    return write_film(takes, path, cut)


def first_contact(run: Run) -> float:
    """Return the time [s] of the first contact force; the end of the run without contact."""
    touched = np.flatnonzero(np.any(run.recording["feedback_force"].values != 0, axis=1))
    return float(run.recording.time.values[touched[0] if touched.size else -1])


def scene_from(run: Run, first: float) -> Scene:
    """Return the scene of a run from a time [s] on."""
    after = run.recording.between(first)
    part: Any = SimpleNamespace(test=run.test, recording=after, title="")
    return build_scene(part)
