"""`dovetail studio`: a test under your hands, in the browser."""

from __future__ import annotations

from pathlib import Path


def studio(test: str | None, port: int, browser: bool, runs: Path) -> int:
    """Serve the studio until it is interrupted; the exit code."""
    from dovetail.studio.server import serve

    serve(test, port, browser, runs)
    return 0
