"""A run that can be watched: what it leaves in its folder while it goes on, and how others find it there.

::

    DIR/test.toml            the resolved test
    DIR/operator.jsonl       presses that counted, as they happen (`testing.operator`)
    DIR/live/about.json      mode, process, and where the window is
    DIR/live/wishes.jsonl    presses that somebody who watches wishes for

The window (`links.watching`) lies in shared memory where there is room for it. A page of a file on a disk is written
back now and then, and a loop that writes into it just then would wait; shared memory has no disk behind it. Only the
user who runs the test can read the window and leave wishes.
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

from dovetail.core.errors import OutputError
from dovetail.links.ring import MAGIC, Ring, Window
from dovetail.testing import Test, dump
from dovetail.testing.operator import LIVE, Operator

SHARED = Path("/dev/shm")
ABOUT = "about.json"
WIDTH = 64  # doubles in a row, for a guess at the size of a window
ROWS = 20_000  # of a test that does not say how many it will have


class Live:
    """A run in `folder` that can be watched; for a `with` statement around it."""

    def __init__(self, test: Test, folder: str | Path, mode: str):
        self.test, self.folder, self.mode = test, Path(folder), mode
        self.operator = Operator(folder)
        self.window = _place(self.folder, 8 * WIDTH * (test.record_count if mode == "run" else ROWS))

    def __enter__(self) -> Live:
        try:
            (self.folder / LIVE).mkdir(parents=True, exist_ok=True)
            (self.folder / "test.toml").write_text(tomli_w.dumps(dump(self.test)), "utf-8")
            os.close(os.open(self.window, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            about = {"mode": self.mode, "process": os.getpid(), "window": str(self.window)}
            partial = self.folder / LIVE / f"{ABOUT}.partial"
            partial.write_text(json.dumps(about), "utf-8")
            os.replace(partial, self.folder / LIVE / ABOUT)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be watched there ({error}); add --no-live") from error
        return self

    def __exit__(self, *_: Any) -> None:
        shutil.rmtree(self.folder / LIVE, ignore_errors=True)
        self.window.unlink(missing_ok=True)

    def show(self) -> Callable[[Mapping[str, np.ndarray]], None]:
        """A function that shows a row of signals, for a loop that has no ring of its own."""
        rings: list[Ring] = []

        def row(values: Mapping[str, np.ndarray]) -> None:
            if not rings:
                shapes = {name: np.shape(value) for name, value in sorted(values.items())}
                rings.append(Ring(shapes, ROWS, self.test.dt, self.window))
            ring = rings[0]
            blank = {name: np.zeros(shape) for name, shape in ring.signals.items()} | dict(values)
            known = [np.ravel(np.asarray(blank[name], dtype=float)) for name in ring.signals]
            ring.show(np.concatenate(known))

        return row


@dataclasses.dataclass(frozen=True)
class Watched:
    """A run that goes on, as somebody else sees it."""

    folder: Path
    mode: str
    process: int
    window: Path

    @property
    def alive(self) -> bool:
        """Whether its process is there, and the run not over."""
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return (self.folder / LIVE / ABOUT).is_file()

    def opened(self) -> Window | None:
        """Its window; None before the first row was shown."""
        try:
            with self.window.open("rb") as file:
                ready = file.read(len(MAGIC)) == MAGIC  # written last
        except OSError:
            return None
        return Window(self.window) if ready else None


def watched(folder: str | Path) -> Watched | None:
    """The run that goes on in a folder; None if there is none, or nothing that makes sense says so."""
    file = Path(folder) / LIVE / ABOUT
    try:
        about = json.loads(file.read_bytes())
        mode, process, window = about["mode"], about["process"], about["window"]
    except OSError:
        return None
    except (ValueError, TypeError, KeyError, RecursionError):
        mode = process = window = None
    right = isinstance(mode, str) and isinstance(window, str) and "\0" not in window
    if not right or type(process) is not int or not 0 < process < 2**31:
        return None
    return Watched(Path(folder), mode, process, Path(window))


def _place(folder: Path, size: int) -> Path:
    """Where a window of about this size [bytes] is best."""
    name = f"dovetail-{os.getpid()}-{secrets.token_hex(4)}.dvw"
    try:
        room = os.statvfs(SHARED)
        if room.f_bavail * room.f_frsize > 2 * size:
            return SHARED / name
    except OSError:
        pass
    return folder / LIVE / name
