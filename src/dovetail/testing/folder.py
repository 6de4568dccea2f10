"""The folder a run writes: the resolved test, the recording, the outcome, a log."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import tomli_w

from dovetail.core.errors import OutputError
from dovetail.testing.creep.journal import NAME as JOURNAL
from dovetail.testing.file import PROVENANCE, dump
from dovetail.testing.operator import LIVE
from dovetail.testing.operator import NAME as PRESSES
from dovetail.testing.recorded import AFTERMATH, OUTCOME, RESULT, TEST, checksum, read, readings
from dovetail.testing.run import Run

__all__ = ["create", "next_folder", "provenance", "read", "readings", "save"]

PACKAGES = ("dovetail", "jax", "jaxlib", "equinox", "diffrax", "numpy", "scipy", "xarray")


def create(folder: str | Path) -> Path:
    """Make the folder before anything is computed, so that a run is never lost for want of one.

    Raises
    ------
    OutputError
        If there is something in it already, or it cannot be written.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: is already there and not empty; choose another folder or remove it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".write-test"
        probe.touch()
        probe.unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{folder}: cannot be written ({reason}); choose another folder") from error
    return folder


def next_folder(parent: Path, name: str) -> Path:
    """The first of `parent/name-001`, `-002`, ... that is not there yet."""
    number = 1
    while (folder := parent / f"{name}-{number:03d}").exists():
        number += 1
    return folder


def save(run: Run, folder: Path) -> Path:
    """Write a run; the folder is made if it was not made before.

    Beside the journal of this very run, what an earlier part of it wrote is written anew; and what was there to
    watch it by may stay.
    """
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
        data.to_netcdf(partial, engine="h5netcdf")
        os.replace(partial, folder / name)
    sums = {name: checksum(folder / name) for name in (TEST, *recordings)}
    _write(folder / OUTCOME, json.dumps({**_outcome(run), "sha256": sums}, indent=2) + "\n")
    stamp = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    _write(folder / "log.txt", "".join(f"{stamp} {line}\n" for line in str(run).splitlines()))
    return folder


def provenance(mode: str) -> dict[str, Any]:
    """Versions and machine kind: what is needed to repeat a run to the bit."""
    versions = {}
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
        "recorded_until_s": float(run.data.time[-1]),
        "trip": dataclasses.asdict(run.trip) if run.trip else None,
    }


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, "utf-8")
    os.replace(partial, path)
