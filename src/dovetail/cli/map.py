"""Command `dovetail run` for a parameter map."""

from __future__ import annotations

import inspect
from pathlib import Path

import tomli_w
import xarray as xr
from rich.console import Console

from dovetail import testing
from dovetail.app.progress_note import write_note
from dovetail.cli.progress import progress
from dovetail.core import plain_file
from dovetail.core.errors import OutputError, reason
from dovetail.core.parameter_map import ParameterMap, converged_values
from dovetail.core.recording import Recording
from dovetail.core.recording_file import write_recording
from dovetail.testing import run_folder
from dovetail.testing.test_file import PROVENANCE


def _compute(chart: ParameterMap) -> xr.Dataset:
    """Compute a map, with progress if the map reports it."""
    if "progress" in inspect.signature(chart.compute).parameters:
        with progress("computing the map") as update_progress:
            return chart.compute(progress=update_progress)  # type: ignore[call-arg]  # the signature was checked above
    write_note("computing the map", None)
    with Console(stderr=True).status("computing the map"):
        return chart.compute()


def run_map(file: testing.MapFile, name: str, out: Path | None, report: bool = True) -> int:
    """Compute a map, write its folder and report, print its summary; return the exit code.

    A map that gives itself with half the steps (`refined`) is computed with both. Values that are not finite or not
    converged are left out, and the exit code is 1.
    """
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{name}-map"))
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    try:
        data = _compute(file.map)
    except KeyboardInterrupt:
        if store := getattr(file.map, "store", ""):
            print_line(f"stored    {store}: finished points; the same command computes the remaining points")
        raise
    messages: list[str] = []
    if (refined := file.map.refined()) is not None:
        data, messages = converged_values(data, _compute(refined))
    data.attrs |= {"title": file.title, "mode": "map"}
    resolved = {**testing.dump(file), PROVENANCE: run_folder.provenance("map")}
    try:
        plain_file.write(target / "test.toml", tomli_w.dumps(resolved))
        write_recording(Recording.from_dataset(data), target / "result.nc")
    except OSError as error:
        raise OutputError(
            f"{target}: the map cannot be written ({reason(error)}); free disk space"
        ) from error
    print_line(file.title)
    print_line(file.map.summary(data))
    for message in messages:
        print_line(f"warning: {message}")
    print_line(f"written   {target}")
    if report:
        from dovetail.report.map_page import write_map

        print_line(f"report    {write_map(file, data, target / 'report.html')}")
    return 1 if messages else 0
