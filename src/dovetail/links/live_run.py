"""Live run: files of a run in progress, for viewers and operators in other processes.

::

    DIR/test.toml                       resolved test
    DIR/operator_events.jsonl           executed operator events (`testing.operator`)
    DIR/live/about.json                 mode, process, and path of the window
    DIR/live/operator_requests.jsonl    requests of viewers
    DIR/live/outcome.json               outcome, while the rig returns to rest

The window (`links.ring`) is in shared memory if there is enough space. A file on a disk is written back from time to
time, which would delay the loop. Only the user who runs the test can read the window and write requests.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.core import plain_file
from dovetail.core.errors import OutputError
from dovetail.links.ring import MAGIC, Ring, RingReader
from dovetail.links.ring_recorder import RING_SIZE
from dovetail.testing import Test, dump
from dovetail.testing.operator import LIVE, Operator

SHARED = Path("/dev/shm")
ABOUT = "about.json"
WIDTH = 64  # values in a row, to estimate the size of a window
ROWS = 20_000  # rows of a test of unknown length


class Live:
    """Context of a run in `folder` with its live files."""

    def __init__(self, test: Test, folder: str | Path, mode: str, rows: int = ROWS):
        self.test, self.folder, self.mode = test, Path(folder), mode
        self.operator = Operator(folder)
        self.window = _window_path(self.folder, min(8 * WIDTH * rows, RING_SIZE))

    def __enter__(self) -> Live:
        try:
            (self.folder / LIVE).mkdir(parents=True, exist_ok=True)
            if not (self.folder / "test.toml").exists():
                plain_file.write(self.folder / "test.toml", tomli_w.dumps(dump(self.test)))
            os.close(os.open(self.window, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            about = {"mode": self.mode, "process": os.getpid(), "window": str(self.window)}
            plain_file.write(self.folder / LIVE / ABOUT, json.dumps(about))
        except OSError as error:
            raise OutputError(
                f"{self.folder}: the live files cannot be written ({error}); add --no-live"
            ) from error
        return self

    def __exit__(self, *_: Any) -> None:
        shutil.rmtree(self.folder / LIVE, ignore_errors=True)
        self.window.unlink(missing_ok=True)

    def show(self) -> Callable[[Mapping[str, np.ndarray]], None]:
        """Return a function that writes a row of signals, for a loop without a ring."""
        rings: list[Ring] = []

        def row(values: Mapping[str, np.ndarray]) -> None:
            if not rings:
                shapes = {name: np.shape(value) for name, value in sorted(values.items())}
                rings.append(Ring(shapes, ROWS, self.test.dt, self.window))
            ring = rings[0]
            blank = {name: np.zeros(shape) for name, shape in ring.signals.items()} | dict(values)
            columns = [np.ravel(np.asarray(blank[name], dtype=float)) for name in ring.signals]
            ring.show(np.concatenate(columns))

        return row


@dataclasses.dataclass(frozen=True)
class LiveRun:
    """Run in progress in another process."""

    folder: Path
    mode: str
    process: int
    window: Path

    @property
    def alive(self) -> bool:
        """True if the process exists and the run has not ended."""
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return (self.folder / LIVE / ABOUT).is_file()

    def open_ring(self) -> RingReader | None:
        """Return a reader of the window; None before the first row."""
        try:
            with plain_file.open_plain(self.window) as file:
                is_complete = file.read(len(MAGIC)) == MAGIC  # written last
        except OSError:
            return None
        return RingReader(self.window) if is_complete else None


def find_live_run(folder: str | Path) -> LiveRun | None:
    """Return the run in progress in a folder; None without a valid description."""
    file = Path(folder) / LIVE / ABOUT
    try:
        about = json.loads(plain_file.read(file))
        mode, process, window = about["mode"], about["process"], about["window"]
    except OSError:
        return None
    except (ValueError, TypeError, KeyError, RecursionError):
        mode = process = window = None
    valid = isinstance(mode, str) and isinstance(window, str) and "\0" not in window
    if not valid or type(process) is not int or not 0 < process < 2**31:
        return None
    return LiveRun(Path(folder), mode, process, Path(window))


def _window_path(folder: Path, size: int) -> Path:
    """Return the path for a window of about this size [bytes]."""
    name = f"dovetail-{os.getpid()}-{secrets.token_hex(4)}.dvw"
    try:
        space = os.statvfs(SHARED)
        if space.f_bavail * space.f_frsize > 2 * size:
            return SHARED / name
    except OSError:
        pass
    return folder / LIVE / name
