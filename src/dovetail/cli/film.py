"""`dovetail film`: recorded runs as a film."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from dovetail.cli.progress import telling
from dovetail.core.errors import ParameterError
from dovetail.scene.build import stage_of
from dovetail.scene.film import PICTURES, Cut, Take, write_film
from dovetail.scene.meshes import asked, with_meshes
from dovetail.testing import run_folder
from dovetail.testing.cached_reference import ideal_of


def film(
    given: list[Path],
    view: str,
    speed: float | None,
    size: str | None,
    fps: float,
    ideal: bool,
    meshes: Sequence[str] = (),
) -> int:
    """Write a film of one run's folder, or of several side by side, with meshes `PART=FILE`; the exit code."""
    own = asked(meshes)
    *recorded, out = given
    if not recorded:
        raise ParameterError(
            f"film: got {out} alone; give the folder of a run, then the film: film RUN OUT.mp4"
        )
    small = out.suffix in PICTURES
    wide, tall = _size(size or ("640x360" if small else "1280x720"))
    cut = Cut(wide, tall, min(fps, 15.0) if small else fps, speed, view)
    runs = [run_folder.read(each) for each in recorded]
    labels = [
        run.title if len(runs) == 1 else each.resolve().name for run, each in zip(runs, recorded, strict=True)
    ]
    if ideal and len(runs) == 1:
        with telling("the ideal") as tell:
            other = ideal_of(runs[0], recorded[0], tell)
        if other is None:
            raise ParameterError(f"film: {recorded[0]} has no ideal to stand beside it; leave out --ideal")
        runs, labels = [other, runs[0]], ["ideal", runs[0].mode]
    if len(runs) > 1 and len({run.title for run in runs}) == 1:
        cut = replace(cut, title=runs[0].title)
    largest = _largest(runs)
    takes = [take_of(run, label, largest) for run, label in zip(runs, labels, strict=True)]
    takes = [replace(take, stage=with_meshes(take.stage, own)) for take in takes]
    written = write_film(takes, out, cut)
    Console(highlight=False, markup=False, soft_wrap=True).print(f"film      {written}")
    return 0


def take_of(run: Any, label: str, largest: float | None = None) -> Take:
    """A run on its stage, with how it ended; motion drawn to the scale of the `largest` [m]."""
    ending = str(run.outcome.value).split(", so ")[0].rstrip(".")
    return Take(stage_of(run, largest=largest), label, ending, "plain" if run.outcome.completed else "bad")


def _largest(runs: list[Any]) -> float | None:
    """The largest motion [m] of several runs, so that they are drawn alike; None of one."""
    if len(runs) < 2 or not all("displacement" in run.data for run in runs):
        return None
    return max(float(abs(run.data["displacement"]).max()) for run in runs)


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if found is None:
        raise ParameterError(f'--size: got "{text}"; needs width and height in pixels, for example 1280x720')
    return int(found[1]), int(found[2])
