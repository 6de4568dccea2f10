"""Progress of a command: a bar on the terminal, and a note for other programs.

The bar is shown on a terminal only, and removed when the work ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dovetail.app.progress_note import write_note

COMPILING = "compiling"  # the compiled program is cached


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
