"""Command `dovetail studio`: edit, explore, run and export a test in the browser."""

from __future__ import annotations

from pathlib import Path


def studio(test: str | None, port: int, browser: bool, runs_folder: Path) -> int:
    """Serve the studio until Ctrl-C; return the exit code."""
    from dovetail.studio.server import serve

    serve(test, port, browser, runs_folder)
    return 0
