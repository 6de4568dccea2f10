"""The process of a job: the command line itself, with a note of how it ended.

`python -m dovetail.app.worker FOLDER WORDS...` does what `dovetail WORDS...` does. A lock in the folder is held as
long as it lives, so that whoever looks, also a server that was started later, can tell whether it does; its exit code
is written when it ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from filelock import FileLock

LOCK, ENDED = "lock", "ended.json"


def work(folder: Path, words: list[str]) -> int:
    """Do what the words say; the exit code, which is noted in the folder."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    code = 1
    with FileLock(folder / LOCK):
        try:
            sys.argv = ["dovetail", *words]
            from dovetail.cli.main import main

            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except KeyboardInterrupt:
            code = 130
        finally:
            sys.stdout.flush()
            partial = folder / f"{ENDED}.partial"
            partial.write_text(json.dumps({"code": code, "when": time.time()}), "utf-8")
            os.replace(partial, folder / ENDED)
    return code


if __name__ == "__main__":
    sys.exit(work(Path(sys.argv[1]), sys.argv[2:]))
