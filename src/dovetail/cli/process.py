"""Entry point of the installed command: output streams and exit code."""

from __future__ import annotations

import atexit
import io
import os
import sys
from typing import Any

from dovetail.cli.main import main


class PersistentStream(io.FileIO):
    """Output stream that discards its data after the reader has closed it (`dovetail list | head -1`).

    The command continues and returns its usual exit code: a closed pager must not stop a run on a rig.
    """

    def write(self, data: Any) -> int:
        """Write data and return the number of bytes written or discarded."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def persistent(stream: Any) -> Any:
    """Return a text stream with the same target that survives a closed reader; a terminal is returned unchanged."""
    if stream is None or stream.isatty():  # closed at the start, or a terminal
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(PersistentStream(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def process() -> None:
    """Run the command line and exit without freeing memory at the end, which is faster.

    Exit handlers and running threads are still waited for; the quick exit comes last.
    """
    code: object = 1  # of an uncaught error
    sys.stdout, sys.stderr = persistent(sys.stdout), persistent(sys.stderr)

    def leave() -> None:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:  # for example a full disk: the interpreter reports it and exits
            return
        os._exit(code if isinstance(code, int) else 1)

    atexit.register(leave)
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
        raise
