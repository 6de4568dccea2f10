"""Command `dovetail film`: write a video of recorded runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from dovetail.cli.progress import progress
from dovetail.core.errors import ParameterError
from dovetail.scene.build import build_scene
from dovetail.scene.film import IMAGE_SUFFIXES, FilmScene, FilmSettings, write_film
from dovetail.scene.meshes import parse_mesh_options, with_meshes
from dovetail.testing import run_folder
from dovetail.testing.cached_reference import reference_of


def film(
    paths: list[Path],
    camera: str,
    speed: float | None,
    size: str | None,
    fps: float,
    reference: bool,
    meshes: Sequence[str] = (),
) -> int:
    """Write a video of one or more run folders, side by side, with meshes `PART=FILE`; return the exit code."""
    mesh_files = parse_mesh_options(meshes)
    *recorded, out = paths
    if not recorded:
        raise ParameterError(
            f"film: got one path, {out}. Expected run folders, then the video file: dovetail film RUN OUT.mp4"
        )
    small = out.suffix in IMAGE_SUFFIXES
    width, height = _parse_size(size or ("640x360" if small else "1280x720"))
    cut = FilmSettings(width, height, min(fps, 15.0) if small else fps, speed, camera)
    runs = [run_folder.read_run(each) for each in recorded]
    labels = [
        run.title if len(runs) == 1 else each.resolve().name for run, each in zip(runs, recorded, strict=True)
    ]
    if reference and len(runs) == 1:
        with progress("reference solution") as update_progress:
            other = reference_of(runs[0], recorded[0], update_progress)
        if other is None:
            raise ParameterError(f"--reference: {recorded[0]} has no reference solution; remove the option")
        runs, labels = [other, runs[0]], ["reference", runs[0].mode]
    if len(runs) > 1 and len({run.title for run in runs}) == 1:
        cut = replace(cut, title=runs[0].title)
    largest = _largest_motion(runs)
    takes = [film_take(run, label, largest) for run, label in zip(runs, labels, strict=True)]
    takes = [replace(take, scene=with_meshes(take.scene, mesh_files)) for take in takes]
    written = write_film(takes, out, cut)
    Console(highlight=False, markup=False, soft_wrap=True).print(f"video     {written}")
    return 0


def film_take(run: Any, label: str, largest: float | None = None) -> FilmScene:
    """Return the scene of a run with its outcome; `largest` [m] sets the scale of the motion."""
    ending = str(run.outcome.value).split(", so ")[0].rstrip(".")
    return FilmScene(
        build_scene(run, largest=largest), label, ending, "plain" if run.outcome.completed else "bad"
    )


def _largest_motion(runs: list[Any]) -> float | None:
    """Return the largest motion [m] of several runs, used as common scale; None for one run."""
    if len(runs) < 2 or not all("displacement" in run.recording for run in runs):
        return None
    return max(float(np.abs(run.recording["displacement"].values).max()) for run in runs)


def _parse_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if match is None:
        raise ParameterError(f'--size: got "{text}". Expected width x height in pixels, for example 1280x720')
    return int(match[1]), int(match[2])
