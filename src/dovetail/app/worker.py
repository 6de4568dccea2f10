"""Process of a job: runs the command line and writes its exit code.

`python -m dovetail.app.worker FOLDER ARGUMENTS...` runs `dovetail ARGUMENTS...`. The process holds a lock in the
folder while it runs, so that any server, also one started later, can check whether the job is running. The exit code
is written at the end.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

from filelock import FileLock

from dovetail.core import plain_file
from dovetail.core.extensions import extension

LOCK, ENDED = "lock", "ended.json"


def work(folder: Path, words: list[str]) -> int:
    """Run the command line; write the exit code to the folder and return it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent shell may have ignored SIGINT
    code = 1
    with FileLock(folder / LOCK):
        try:
            sys.argv = ["dovetail", *words]
            extension("dovetail.commands", "main")()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except KeyboardInterrupt:
            code = 130
        finally:
            sys.stdout.flush()
            plain_file.write(folder / ENDED, json.dumps({"code": code, "when": time.time()}))
    return code


if __name__ == "__main__":
    sys.exit(work(Path(sys.argv[1]), sys.argv[2:]))
