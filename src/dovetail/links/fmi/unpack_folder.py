"""Folders of this process that end with it, however it ends.

An FMU is unpacked before its library can be loaded. What is unpacked lies in one folder of this process, beside which
a shell waits for the end of a pipe that only this process holds open: when the process ends, killed or not, the shell
reads the end of the pipe, removes the folder and ends as well.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_roots: dict[int, Path] = {}  # by process: one that was forked makes its own
_guards: dict[Path, subprocess.Popen] = {}  # kept, as one that waits is not over


def new_folder() -> Path:
    """An empty folder; whoever is done with it removes it, and nobody has to."""
    return Path(tempfile.mkdtemp(dir=_root()))


def _root() -> Path:
    process = os.getpid()
    if process not in _roots or not _roots[process].is_dir():
        root = _roots[process] = Path(tempfile.mkdtemp(prefix=f"dovetail-fmu-{process}-"))
        _guard(root)
        atexit.register(_end, process, root)
    return _roots[process]


def _end(process: int, root: Path) -> None:
    """At an orderly end of the process that made it nothing is left to wait for."""
    if os.getpid() != process:
        return
    shutil.rmtree(root, ignore_errors=True)
    if (guard := _guards.pop(root, None)) is not None:
        guard.terminate()
        guard.wait()


def _guard(root: Path) -> None:
    """Start the shell that waits; where there is none the folder goes at an orderly end only."""
    ours, its = os.pipe()
    try:
        with contextlib.suppress(OSError):
            _guards[root] = subprocess.Popen(
                ["/bin/sh", "-c", 'read line; rm -rf -- "$1"', "sh", str(root)],
                stdin=ours,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us, not for it
            )
    finally:
        os.close(ours)
    # `its` is left open, to be closed by the system when this process ends; no child inherits it
