"""The folder a run writes: the resolved test, the recording, the outcome, a log."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import platform
import shutil
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import tomli_w

from dovetail import __version__
from dovetail.core.errors import OutputError
from dovetail.testing.operator import LIVE
from dovetail.testing.operator import NAME as PRESSES
from dovetail.testing.pseudodynamic.journal import NAME as JOURNAL
from dovetail.testing.run import Run
from dovetail.testing.saved_run import AFTERMATH, OUTCOME, RESULT, TEST, checksum, read, readings, storable
from dovetail.testing.test_file import PROVENANCE, dump

__all__ = ["create", "forget_unused", "next_folder", "provenance", "read", "readings", "save"]

_made: list[tuple[Path, list[Path]]] = []  # folders of this process, each with what was not there before it
PACKAGES = ("jax", "jaxlib", "equinox", "diffrax", "numpy", "scipy", "xarray")


def create(folder: str | Path) -> Path:
    """Make the folder before anything is computed, so that a run is never lost for want of one.

    Raises
    ------
    OutputError
        If there is something in it already, or it cannot be written.
    """
    folder = Path(folder)
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: is already there and not empty; choose another folder or remove it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".write-test"
        probe.touch()
        probe.unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        for path in new:
            with suppress(OSError):
                path.rmdir()
        raise OutputError(f"{folder}: cannot be written ({reason}); choose another folder") from error
    _made.append((folder, new))
    return folder


def forget_unused() -> None:
    """Take away every folder that was made here and holds nothing of a run, so that it can be tried again.

    A run that is refused (nobody at the address, values that do not fit) has written at most what others watch it by.
    """
    while _made:
        folder, new = _made.pop()
        if not folder.is_dir() or not all(_unused(path) for path in folder.iterdir()):
            continue
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in new:
            with suppress(OSError):  # of others by now
                path.rmdir()


def _unused(path: Path) -> bool:
    """Whether a file of a run's folder says nothing that the test does not say."""
    if path.name == JOURNAL:
        return path.read_bytes().count(b"\n") <= 1  # its head: no move was asked for
    return path.name in (TEST, LIVE, PRESSES) or path.suffix == ".partial"


def next_folder(parent: Path, name: str) -> Path:
    """The first of `parent/name-001`, `-002`, ... that is not there yet."""
    number = 1
    while (folder := parent / f"{name}-{number:03d}").exists():
        number += 1
    return folder


def save(run: Run, folder: str | Path) -> Path:
    """Write a run; the folder is made if it was not made before.

    Beside the journal of this very run, what an earlier part of it wrote is written anew; and what was there to
    watch it by may stay.
    """
    folder = Path(folder)
    going_on = (folder / JOURNAL).is_file() and run.mode == "creep"
    watched = {"test.toml", LIVE, PRESSES}
    going_on |= folder.is_dir() and {path.name for path in folder.iterdir()} <= watched
    if not going_on:
        folder = folder if folder.is_dir() and not any(folder.iterdir()) else create(folder)
    resolved = {**dump(run.test), PROVENANCE: provenance(run.mode)}
    _write(folder / TEST, tomli_w.dumps(resolved))
    recordings = {RESULT: run.data} | ({AFTERMATH: run.aftermath} if run.aftermath is not None else {})
    for name, data in recordings.items():
        # written beside and renamed, so that a half-written recording never looks like a whole one
        partial = folder / f"{name}.partial"
        storable(data).to_netcdf(partial, engine="h5netcdf")
        os.replace(partial, folder / name)
    sums = {name: checksum(folder / name) for name in (TEST, *recordings)}
    _write(folder / OUTCOME, json.dumps({**_outcome(run), "sha256": sums}, indent=2) + "\n")
    stamp = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    _write(folder / "log.txt", "".join(f"{stamp} {line}\n" for line in str(run).splitlines()))
    return folder


def provenance(mode: str) -> dict[str, Any]:
    """Versions and machine kind: what is needed to repeat a run to the bit."""
    versions = {"dovetail": __version__}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "mode": mode,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "versions": versions,
    }


def _outcome(run: Run) -> dict[str, Any]:
    return {
        "outcome": run.outcome.name,
        "sentence": run.outcome.value,
        "completed": run.outcome.completed,
        "mode": run.mode,
        "recorded_until_s": float(run.data.time[-1]) if run.data.sizes["time"] else None,
        "trip": dataclasses.asdict(run.trip) if run.trip else None,
    }


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, "utf-8")
    os.replace(partial, path)
