"""Folders that are removed at the end of this process, also after a kill.

An FMU is unpacked before its library can be loaded. All files are in one folder of this process. A shell waits for the
end of a pipe that only this process keeps open. When the process ends, the shell reads the end of the pipe, removes the
folder and ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_roots: dict[int, Path] = {}  # by process: a forked process has its own
_guards: dict[Path, subprocess.Popen] = {}  # running shells


def new_folder() -> Path:
    """Return an empty folder; it is removed at the end of the process at the latest."""
    return Path(tempfile.mkdtemp(dir=_root()))


def _root() -> Path:
    process = os.getpid()
    if process not in _roots or not _roots[process].is_dir():
        root = _roots[process] = Path(tempfile.mkdtemp(prefix=f"dovetail-fmu-{process}-"))
        _guard(root)
        atexit.register(_end, process, root)
    return _roots[process]


def _end(process: int, root: Path) -> None:
    """Remove the folder and end the shell at a normal exit of the process that created them."""
    if os.getpid() != process:
        return
    shutil.rmtree(root, ignore_errors=True)
    if (guard := _guards.pop(root, None)) is not None:
        guard.terminate()
        guard.wait()


def _guard(root: Path) -> None:
    """Start the waiting shell; without a shell the folder is removed at a normal exit only."""
    read_end, _ = os.pipe()
    try:
        with contextlib.suppress(OSError):
            _guards[root] = subprocess.Popen(
                ["/bin/sh", "-c", 'read line; rm -rf -- "$1"', "sh", str(root)],
                stdin=read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C must not end the shell
            )
    finally:
        os.close(read_end)
    # the write end stays open until the system closes it at the end of this process; child processes do not inherit it
