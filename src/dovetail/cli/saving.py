"""Save a run so that it is not lost: elsewhere if the disk is full, and completely before an interrupt takes effect."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.core.errors import OutputError
from dovetail.testing import run_folder

if TYPE_CHECKING:
    from dovetail.testing import Run

MEMORY = Path("/dev/shm")  # folder in memory; it remains until the machine is switched off


def save_or_elsewhere(run: Run, target: Path) -> Path:
    """Save a run in its folder, or in the first other place that has space; return the folder.

    Raises
    ------
    OutputError
        With the outcome of the run, if there is no space anywhere.
    """
    faults = []
    with _interrupts_deferred():
        for folder in _places(target):
            try:
                saved = run_folder.save_run(run, folder)
            except OutputError as error:
                faults.append(str(error))
                continue
            if faults:
                print(f"{faults[0]}; the run is saved in {saved}")
            return saved
    raise OutputError(f"{'; '.join(faults)}; the run is lost. It ended: {run.outcome.value}")


def _places(target: Path) -> Iterator[Path]:
    """Yield the folder, then new folders on other disks."""
    yield target
    for parent in (Path(tempfile.gettempdir()), Path.home(), MEMORY):
        with suppress(OSError):
            yield Path(tempfile.mkdtemp(prefix="dovetail-run-", dir=parent))


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Deliver the first interrupt that arrives in the block after it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {
        number: signal.signal(number, lambda received, frame: arrived.append(received))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])
