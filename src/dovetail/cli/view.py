"""Command `dovetail view`: show a recorded run, a live run, or a test that is run first, in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from dovetail.app.loading import load_test
from dovetail.cli.run_options import run_with_progress
from dovetail.core.errors import value_or_none
from dovetail.links.live_run import LiveRun, find_live_run
from dovetail.scene import Scene, available_scenes
from dovetail.scene.meshes import parse_mesh_options, with_meshes_in_any
from dovetail.scene.shapes import Triangles
from dovetail.testing import Run, run_folder
from dovetail.testing.cached_reference import reference_of
from dovetail.view import LivePage, RunPage
from dovetail.view.access import AccessControl

Meshes = Mapping[str, Triangles]  # mesh by name of the body that it replaces


def view(
    source: str,
    host: str,
    port: int,
    duration: float | None,
    reference: bool = True,
    token: bool = False,
    meshes: Sequence[str] = (),
) -> int:
    """Serve the view of a run folder or a test, with meshes `PART=FILE`; return the exit code."""
    mesh_files = parse_mesh_options(meshes)
    access_control = AccessControl(host, token)
    live_run = find_live_run(source)
    page: Any
    if live_run is not None and live_run.alive:
        page = LivePage(live_run, access_control, port)
    else:
        page = _open_page(
            _load_run(source), source, reference, mesh_files, access_control=access_control, port=port
        )
    _print_address(access_control, page.port)
    try:
        if isinstance(page, LivePage):
            _follow(page, live_run, duration, reference, mesh_files)
        else:
            page.serve(duration)
    except KeyboardInterrupt:
        pass
    finally:
        page.close()
    return 0


def _follow(
    page: LivePage, run: LiveRun | None, duration: float | None, reference: bool, mesh_files: Meshes
) -> None:
    """Serve a live run, then its recording on the same page."""
    from dovetail.view.live import wait_for_recording

    assert run is not None
    if reference:
        page.show_when_ready(lambda: value_or_none(page.test.reference))
    if not page.serve(duration) or not wait_for_recording(run.folder):
        return
    page.axes_overlay.remove()
    _open_page(run_folder.read_run(run.folder), run.folder, reference, mesh_files, server=page.server).serve(
        duration
    )


def _print_address(access_control: AccessControl, port: int) -> None:
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    print_line(f"open      {access_control.url(port)}")
    if access_control.token:
        print_line("          anyone with this address, including the token, can view and operate the run")
    print_line("          press Ctrl-C to stop")


def _open_page(
    run: Run, folder: str | Path, reference: bool, mesh_files: Meshes, **page_options: Any
) -> RunPage:
    """Return a page with the run; the reference solution is added when it is computed.

    If `folder` is a run folder, the reference solution is cached there.
    """
    page = RunPage(with_meshes_in_any(available_scenes(run), mesh_files), **page_options)

    def load_reference() -> Mapping[str, Scene] | None:
        reference_run = reference_of(run, folder) if Path(folder).is_dir() else run.reference()
        return (
            None
            if reference_run is None
            else with_meshes_in_any(available_scenes(run, reference_run), mesh_files)
        )

    if reference:
        page.show_when_ready("Reference solution", load_reference)
    return page


def _load_run(source: str) -> Run:
    if Path(source).is_dir():
        return run_folder.read_run(source)
    test = load_test(source)
    return run_with_progress(test, test.default_mode)
