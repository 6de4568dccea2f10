"""`dovetail view`: a recorded run, or a test that is run first, in the browser."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from dovetail import testing
from dovetail.cli.running import with_progress
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.studies.registry import find_test
from dovetail.testing import Run, folder
from dovetail.view import Page, stage_of

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def view(what: str, host: str, port: int, seconds: float | None) -> int:
    """Serve the view of a run's folder or of a test; the exit code."""
    run = _run(what)
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    page = Page(stage_of(run, _ideal(run)), "127.0.0.1", port if host in LOOPBACK else 0)
    if host in LOOPBACK:
        say(f"open      http://127.0.0.1:{page.port}")
    else:
        from dovetail.view.gate import Gate

        gate = Gate(page.port, host, port)
        say(f"open      {gate.url}")
        say("          whoever has this address, token and all, may look and press")
    say("          Ctrl-C ends it")
    try:
        page.serve(seconds)
    except KeyboardInterrupt:
        pass
    finally:
        page.close()
    return 0


def _run(what: str) -> Run:
    if (Path(what) / "result.nc").is_file():
        return folder.read(what)
    if Path(what).is_dir():
        raise ParameterError(
            f"{what}: holds no result.nc; give the folder that a run wrote, or a test's name"
        )
    test = testing.load(find_test(what))
    if isinstance(test, testing.Simulation):
        return test.simulate()
    if not isinstance(test, testing.Test):
        raise ParameterError(f"{what}: has no motion to look at; give a test or the folder of a run")
    return with_progress(test)


def _ideal(run: Run) -> Run | None:
    if isinstance(run.test, testing.Simulation) or run.mode in ("emulate", "creep"):
        return None
    try:
        return run.test.emulate()
    except AnalysisError:
        return None
