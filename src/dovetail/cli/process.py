"""The command line as a process of its own, and how it ends."""

from __future__ import annotations

import atexit
import os
import sys

from dovetail.cli.main import main


def process() -> None:
    """The command line as a process of its own: at its end nothing is taken apart that is to be thrown away.

    What was registered for the end, and threads that go on, are waited for as ever: this comes last.
    """
    code: object = 1  # that of an error which nobody caught

    def leave() -> None:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:  # a reader that has gone, a full disk: the interpreter says so, and ends as ever
            return
        os._exit(code if isinstance(code, int) else 1)

    atexit.register(leave)
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
        raise
