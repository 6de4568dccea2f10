"""`dovetail view`: a recorded run, a test that is run first, or a run that goes on, in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from dovetail.cli.run import runnable, with_progress
from dovetail.links.live_run import Watched, watched
from dovetail.scene import Stage, pictures_of
from dovetail.scene.meshes import asked, with_meshes_where
from dovetail.scene.shapes import Triangles
from dovetail.testing import Run, run_folder
from dovetail.testing.cached_reference import ideal_of
from dovetail.view import LivePage, RunPage
from dovetail.view.access import Gate

Meshes = Mapping[str, Triangles]  # of one's own, by the parts they stand for


def view(
    what: str,
    host: str,
    port: int,
    seconds: float | None,
    ghost: bool = True,
    token: bool = False,
    meshes: Sequence[str] = (),
) -> int:
    """Serve the view of a run's folder or of a test, with meshes `PART=FILE` of one's own; the exit code."""
    own = asked(meshes)
    gate = Gate(host, token)
    going_on = watched(what)
    page: Any
    if going_on is not None and going_on.alive:
        page = LivePage(going_on, gate, port)
    else:
        page = _opened(_run(what), what, ghost, own, gate=gate, port=port)
    _say_where(gate, page.port)
    try:
        if isinstance(page, LivePage):
            _follow(page, going_on, seconds, ghost, own)
        else:
            page.serve(seconds)
    except KeyboardInterrupt:
        pass
    finally:
        page.close()
    return 0


def _follow(page: LivePage, run: Watched | None, seconds: float | None, ghost: bool, own: Meshes) -> None:
    """The run while it goes on, and then its recording on the same page."""
    from dovetail.view.live import finished

    assert run is not None
    if ghost:
        page.expect(page.test.ideal)
    if not page.serve(seconds) or not finished(run.folder):
        return
    page.corner.remove()
    _opened(run_folder.read(run.folder), run.folder, ghost, own, server=page.server).serve(seconds)


def _say_where(gate: Gate, port: int) -> None:
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    say(f"open      {gate.url(port)}")
    if gate.token:
        say("          whoever has this address, token and all, may look and press")
    say("          Ctrl-C ends it")


def _opened(run: Run, place: str | Path, ghost: bool, own: Meshes, **where: Any) -> RunPage:
    """A page that shows the run at once, and its ideal behind it as soon as that is there.

    The ideal is kept in the run's folder, where `place` is one.
    """
    page = RunPage(with_meshes_where(pictures_of(run), own), **where)

    def more() -> Mapping[str, Stage] | None:
        ideal = ideal_of(run, place) if Path(place).is_dir() else run.ideal()
        return None if ideal is None else with_meshes_where(pictures_of(run, ideal), own)

    if ghost:
        page.expect("The ideal", more)
    return page


def _run(what: str) -> Run:
    if Path(what).is_dir():
        return run_folder.read(what)
    test = runnable(what)
    return with_progress(test, test.USUAL)
