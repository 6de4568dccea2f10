"""The command line as a process of its own: whom it prints to, and how it ends."""

from __future__ import annotations

import atexit
import io
import os
import sys
from typing import Any

from dovetail.cli.main import main


class Lasting(io.FileIO):
    """A stream that outlives its reader: what nobody reads any more (`dovetail list | head -1`) is thrown away.

    The command goes on and ends with its usual code: a pager that was closed must not stop a run on a rig.
    """

    def write(self, data: Any) -> int:
        """Bytes that were written, or given up."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def lasting(stream: Any) -> Any:
    """A text stream like the given one, to the same place, which outlives its reader; a terminal as it is."""
    if stream is None or stream.isatty():  # closed before it began, or read as long as it is there
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(Lasting(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def process() -> None:
    """The command line as a process of its own: at its end nothing is taken apart that is to be thrown away.

    What was registered for the end, and threads that go on, are waited for as ever: this comes last.
    """
    code: object = 1  # that of an error which nobody caught
    sys.stdout, sys.stderr = lasting(sys.stdout), lasting(sys.stderr)

    def leave() -> None:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:  # a full disk: the interpreter says so, and ends as ever
            return
        os._exit(code if isinstance(code, int) else 1)

    atexit.register(leave)
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
        raise
