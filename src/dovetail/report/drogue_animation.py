"""A drogue struck by a nozzle, several runs side by side: hose, drogue and probe as solids, as they were recorded.

The drogue is drawn as it is unloaded: where the probe crosses its wall, the ribs are pushed aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dovetail.scene.build import stage_of
from dovetail.scene.film import Cut, Take, write_film
from dovetail.scene.scene import Stage
from dovetail.testing import Run

FRAMES = 36
FPS = 11.0
BEFORE = 0.05  # [s] shown before first contact
SIZE = 300, 240  # [px] of each run


def animate(runs: Sequence[Run], labels: Sequence[str], path: str | Path) -> Path:
    """Write a GIF of the contact, all runs side by side, slowed down; each stands still once it has ended."""
    first = max(min(first_contact(run) for run in runs) - BEFORE, 0.0)
    takes = [Take(stage(run, first), label) for run, label in zip(runs, labels, strict=True)]
    longest = max(take.stage.duration for take in takes)
    slower = max(round(FRAMES / FPS / longest), 1)
    cut = Cut(SIZE[0] * len(takes), SIZE[1], FPS, 1 / slower, "close-up", rest=1.5)
    return write_film(takes, path, cut)


def first_contact(run: Run) -> float:
    """When [s] the first force was felt; the end where none was."""
    touched = np.flatnonzero(np.any(run.data["force"].values != 0, axis=1))
    return float(run.data.time[touched[0] if touched.size else -1])


def stage(run: Run, first: float) -> Stage:
    """What is to be seen of a run from a moment [s] on."""
    after = run.data.isel(time=run.data.time.values >= first)
    seen: Any = SimpleNamespace(test=run.test, data=after, title="")
    return stage_of(seen)
