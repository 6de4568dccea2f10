"""How far a command is: a bar on the terminal, and a note that another program may read.

The bar vanishes when it is done, and where no terminal is there is none. Where the environment names a file
(`DOVETAIL_PROGRESS`), what goes on stands there as JSON: what is done, the share of it in [0, 1] or null where that is
not known, and a few words. It is written whole or not at all, some times a second; whoever reads it, or does not, holds
nothing up.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

COMPILING = "compiling, once"  # it is kept for the next time
PLACE = "DOVETAIL_PROGRESS"
EVERY = 0.2  # [s] from one note of the same work to the next
_last: tuple[str, float] = ("", 0.0)  # of the newest note: what was done, and when


@contextmanager
def telling(
    doing: str, first: str = COMPILING, *, remaining: bool = True
) -> Iterator[Callable[[float, str], None]]:
    """What is told of progress, as a bar and as a note; `first` until there is more to tell."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = [TextColumn(doing), BarColumn(), TextColumn("{task.description}")]
    columns += [TimeRemainingColumn()] if remaining else []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(first, total=1.0)
        note(doing, 0.0, first)

        def tell(share: float, text: str) -> None:
            bar.update(task, completed=share, description=text)
            note(doing, share, text)

        yield tell


def note(doing: str, share: float | None, text: str = "") -> None:
    """Write what goes on to the file that the environment names, if it names one."""
    global _last
    place, now = os.environ.get(PLACE), time.monotonic()
    if not place or (doing == _last[0] and now - _last[1] < EVERY):
        return
    _last = (doing, now)
    partial = Path(f"{place}.partial")
    with suppress(OSError):
        partial.write_text(json.dumps({"doing": doing, "share": share, "text": text}), "utf-8")
        os.replace(partial, place)
