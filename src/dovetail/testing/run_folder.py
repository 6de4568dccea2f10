"""Run folder: resolved test, recording, outcome and log."""

from __future__ import annotations

import dataclasses
import datetime
import json
import platform
import shutil
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import tomli_w

from dovetail import __version__
from dovetail.core import plain_file
from dovetail.core.errors import OutputError, reason
from dovetail.core.recording import Recording
from dovetail.core.recording_file import copy_samples, write_recording
from dovetail.testing.memory_estimate import require_space
from dovetail.testing.modes import all_modes, mode_named
from dovetail.testing.operator import EVENTS_FILE, LIVE
from dovetail.testing.pseudodynamic.journal import MAX_SIZE as MAX_JOURNAL
from dovetail.testing.pseudodynamic.journal import NAME as JOURNAL
from dovetail.testing.record_store import RecordStore
from dovetail.testing.run import Run
from dovetail.testing.saved_run import (
    OUTCOME,
    RESULT,
    RETURN_TO_REST,
    TEST,
    checksum,
    read_run,
    readings,
)
from dovetail.testing.test import Test
from dovetail.testing.test_file import PROVENANCE, dump

__all__ = [
    "begin_run",
    "create",
    "forget_unused",
    "next_folder",
    "provenance",
    "read_run",
    "readings",
    "save_run",
]

_made: list[tuple[Path, list[Path]]] = []  # folders created by this process, each with the new parent folders
PACKAGES = ("jax", "jaxlib", "equinox", "numpy", "scipy", "xarray")


def create(folder: str | Path) -> Path:
    """Create the run folder before the run is computed, so that no result is lost.

    Raises
    ------
    OutputError
        If the folder is not empty or cannot be written.
    """
    folder = Path(folder)
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(f"{folder}: exists and is not empty; choose another folder or remove it")
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
    """Remove the folders created by this process that contain no result, so that the run can be repeated.

    A run that ended with an error before its first tick has written only files for viewers.
    """
    while _made:
        folder, new = _made.pop()
        if not folder.is_dir() or not all(_unused(path) for path in folder.iterdir()):
            continue
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in new:
            with suppress(OSError):  # not empty: used by another process
                path.rmdir()


def _unused(path: Path) -> bool:
    """True if a file of a run folder contains no result."""
    if path.name == JOURNAL:
        return plain_file.read(path, MAX_JOURNAL).count(b"\n") <= 1  # only the header: no move was requested
    return path.name in (TEST, LIVE, EVENTS_FILE) or path.suffix == ".partial"


def next_folder(parent: Path, name: str) -> Path:
    """Return the first of `parent/name-001`, `-002`, ... that does not exist."""
    number = 1
    while (folder := parent / f"{name}-{number:03d}").exists():
        number += 1
    return folder


def save_run(run: Run, folder: str | Path) -> Path:
    """Write a run; the folder is created if needed.

    The outcome is written first, then test and recordings, then the outcome with their checksums; each file completely
    or not at all. If the process ends in between, or the disk is full, the outcome remains.

    A resumed pseudo-dynamic run overwrites the files of its earlier part. Files for viewers of the run may exist.
    """
    folder = Path(folder)
    going_on = (folder / JOURNAL).is_file() and mode_named(run.mode).resumable
    begun = {TEST, LIVE, EVENTS_FILE, RESULT}
    going_on |= folder.is_dir() and {path.name for path in folder.iterdir()} <= begun
    if not going_on:
        folder = folder if folder.is_dir() and not any(folder.iterdir()) else create(folder)
    recordings = {RESULT: run.recording} | (
        {RETURN_TO_REST: run.return_recording} if run.return_recording is not None else {}
    )
    stamp = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    log = "".join(f"{stamp} {line}\n" for line in str(run).splitlines())
    try:
        _write_outcome(run, folder, ())
        plain_file.write(folder / TEST, _resolved(run.test, run.mode), sync=True)
        for name, data in recordings.items():
            _write_recording(run, data, folder / name)
        _write_outcome(run, folder, (TEST, *recordings))
        plain_file.write(folder / "log.txt", log)
    except OSError as error:
        raise OutputError(f"{folder}: the run cannot be written completely ({reason(error)})") from error
    return folder


def begin_run(test: Test, mode: str, folder: str | Path, *, sync: bool = False) -> RecordStore:
    """Write the test of a run that begins in a folder; return the store for its records.

    With `sync` the disk stores the records ten times per second, so that a power cut loses only the last of them.

    Raises
    ------
    OutputError
        If the folder cannot be written, or the disk has no space for all records.
    """
    folder = Path(folder)
    require_space(test, all_modes()[mode](), folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        plain_file.write(folder / TEST, _resolved(test, mode), sync=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({reason(error)}); choose another folder") from error
    return RecordStore(folder / RESULT, test, mode, sync=sync)


def _resolved(test: Test, mode: str) -> str:
    return tomli_w.dumps({**dump(test), PROVENANCE: provenance(mode)})


def _write_recording(run: Run, data: Recording, path: Path) -> None:
    """Write a recording, or complete the file in which its samples are."""
    if data.file is None:
        write_recording(data, path)
        return
    others = {name: value for name, value in data.attrs.items() if name != "record_every"}
    every = {"record_every": run.test.record_every} if run.test.record_every > 1 else {}
    copy_samples(data.file.path, dataclasses.replace(data, attrs=others | every), path, data.file.count)


def provenance(mode: str) -> dict[str, Any]:
    """Return package versions and machine type, which are needed to repeat a run to the bit."""
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
        "recorded_until_s": run.recording.last_time if run.recording.time.size else None,
        "trip": dataclasses.asdict(run.trip) if run.trip else None,
    }


def _write_outcome(run: Run, folder: Path, files: Sequence[str]) -> None:
    """Write the outcome, with the checksums of these files."""
    sums = {name: checksum(folder / name) for name in files}
    text = json.dumps({**_outcome(run), "sha256": sums}, indent=2) + "\n"
    plain_file.write(folder / OUTCOME, text, sync=True)
