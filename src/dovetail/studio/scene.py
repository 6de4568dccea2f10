"""3-D view of a run: `dovetail view` in a separate process, shown in a frame of the page."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

RUN_FILES = ("result.nc", "live")  # files in the folder of a finished or live run
MAX_VIEWS = 3  # largest number of open views
END_TIMEOUT = 2.0  # [s] before a view that does not end is killed


class SceneServers:
    """Open views by run folder; the oldest is closed when there are too many."""

    def __init__(self) -> None:
        self.open: dict[Path, tuple[subprocess.Popen[str], str]] = {}

    async def address(self, folder: Path) -> str:
        """Return the address of the view of a folder, or an error message (not starting with http)."""
        if folder in self.open and self.open[folder][0].poll() is None:
            return self.open[folder][1]
        if not any((folder / name).exists() for name in RUN_FILES):
            return f"no run in {folder}"
        process = subprocess.Popen(
            [sys.executable, "-m", "dovetail", "view", str(folder), "--port", "0", "--token"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        address = await asyncio.to_thread(_read_address, process)
        if address.startswith("http"):
            self.open[folder] = (process, address)
            while len(self.open) > MAX_VIEWS:
                _end(self.open.pop(next(iter(self.open)))[0])
        else:
            _end(process)
        return address

    def close(self) -> None:
        """Close all views."""
        for process, _ in self.open.values():
            _end(process)
        self.open.clear()


def _read_address(process: subprocess.Popen[str]) -> str:
    """Return the address printed by a view, or its output if it ends early."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("open") and "http" in line:
            return line.split()[1]
    return "".join(lines).strip() or "the view ended without an address; run dovetail view in a terminal"


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(END_TIMEOUT)
    except subprocess.TimeoutExpired:  # the page does not wait any longer
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
