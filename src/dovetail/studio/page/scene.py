"""The scene of a run in 3-D: `dovetail view` in a process of its own, shown in a frame of the page."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

MOST = 3  # scenes that are kept open


class Scenes:
    """Views of folders that are open, the oldest closed when there are too many."""

    def __init__(self) -> None:
        self.open: dict[Path, tuple[asyncio.subprocess.Process, str]] = {}

    async def address(self, folder: Path) -> str:
        """Where the view of a folder is; what went wrong if it does not begin with http."""
        if folder in self.open and self.open[folder][0].returncode is None:
            return self.open[folder][1]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "dovetail", "view", str(folder), "--port", "0", "--token",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdout is not None
        said = []
        while line := (await process.stdout.readline()).decode(errors="replace"):
            said.append(line)
            if line.startswith("open") and "http" in line:
                found = line.split()[1]
                self.open[folder] = (process, found)
                self._close_old()
                return found
        await process.wait()
        return "".join(said).strip() or "the view ended at once"

    def _close_old(self) -> None:
        while len(self.open) > MOST:
            process, _ = self.open.pop(next(iter(self.open)))
            with contextlib.suppress(ProcessLookupError):
                process.terminate()

    def close(self) -> None:
        """End all."""
        for process, _ in self.open.values():
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        self.open.clear()
