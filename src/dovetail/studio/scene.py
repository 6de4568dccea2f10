"""The scene of a run in 3-D: `dovetail view` in a process of its own, shown in a frame of the page."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

RUN = ("result.nc", "live")  # what a folder has of a run that is over, or goes on
MOST = 3  # scenes that are kept open
PATIENCE = 2.0  # [s] for a view to end by itself


class Scenes:
    """Views of folders that are open, the oldest closed when there are too many."""

    def __init__(self) -> None:
        self.open: dict[Path, tuple[subprocess.Popen[str], str]] = {}

    async def address(self, folder: Path) -> str:
        """Where the view of a folder is; what went wrong if it does not begin with http."""
        if folder in self.open and self.open[folder][0].poll() is None:
            return self.open[folder][1]
        if not any((folder / name).exists() for name in RUN):
            return f"there is no run in {folder}"
        process = subprocess.Popen(
            [sys.executable, "-m", "dovetail", "view", str(folder), "--port", "0", "--token"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        found = await asyncio.to_thread(_told, process)
        if found.startswith("http"):
            self.open[folder] = (process, found)
            while len(self.open) > MOST:
                _end(self.open.pop(next(iter(self.open)))[0])
        else:
            _end(process)
        return found

    def close(self) -> None:
        """End all."""
        for process, _ in self.open.values():
            _end(process)
        self.open.clear()


def _told(process: subprocess.Popen[str]) -> str:
    """The address that a view prints; what else it printed, if it ends before."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("open") and "http" in line:
            return line.split()[1]
    return "".join(said).strip() or "the view ended at once"


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:  # the page is not to wait for a view that does not heed
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
