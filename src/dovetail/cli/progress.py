"""Progress of a command: a bar on the terminal, and a JSON file for other programs.

The bar is shown on a terminal only, and removed when the work ends. If the environment variable `DOVETAIL_PROGRESS`
names a file, the state of the work is written there as JSON: its name, the finished fraction in [0, 1] or null if
unknown, and a short text. The file is replaced atomically, at most five times per second, and never blocks the work.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

COMPILING = "compiling"  # the compiled program is cached
PROGRESS_VARIABLE = "DOVETAIL_PROGRESS"
MIN_INTERVAL = 0.2  # [s] between two notes of the same work
_last: tuple[str, float] = ("", 0.0)  # name of the work and time of the last note


@contextmanager
def progress(
    task_name: str, initial_text: str = COMPILING, *, remaining: bool = True
) -> Iterator[Callable[[float, str], None]]:
    """Show progress as a bar and a note; yields a function of fraction and text."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = [TextColumn(task_name), BarColumn(), TextColumn("{task.description}")]
    columns += [TimeRemainingColumn()] if remaining else []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(initial_text, total=1.0)
        write_note(task_name, 0.0, initial_text)

        def report(fraction: float, text: str) -> None:
            bar.update(task, completed=fraction, description=text)
            write_note(task_name, fraction, text)

        yield report


def write_note(task_name: str, fraction: float | None, text: str = "") -> None:
    """Write the progress to the file named by the environment, if any."""
    global _last
    file, now = os.environ.get(PROGRESS_VARIABLE), time.monotonic()
    if not file or (task_name == _last[0] and now - _last[1] < MIN_INTERVAL):
        return
    _last = (task_name, now)
    partial = Path(f"{file}.partial")
    with suppress(OSError):
        partial.write_text(json.dumps({"task": task_name, "fraction": fraction, "text": text}), "utf-8")
        os.replace(partial, file)
