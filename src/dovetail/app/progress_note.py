"""Progress of a command as a JSON file, for other programs.

If the environment variable `DOVETAIL_PROGRESS` names a file, the state of the work is written there as JSON: its
name, the finished fraction in [0, 1] or null if unknown, and a short text. The file is replaced atomically, at most
five times per second, and never blocks the work.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

from dovetail.core import plain_file

PROGRESS_VARIABLE = "DOVETAIL_PROGRESS"
MIN_INTERVAL = 0.2  # [s] between two notes of the same work
_last: tuple[str, float] = ("", 0.0)  # name of the work and time of the last note


def write_note(task_name: str, fraction: float | None, text: str = "") -> None:
    """Write the progress to the file named by the environment, if any."""
    global _last
    file, now = os.environ.get(PROGRESS_VARIABLE), time.monotonic()
    if not file or (task_name == _last[0] and now - _last[1] < MIN_INTERVAL):
        return
    _last = (task_name, now)
    with suppress(OSError):
        plain_file.write(file, json.dumps({"task": task_name, "fraction": fraction, "text": text}))
