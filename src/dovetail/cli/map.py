"""`dovetail run` for a file that asks for a map."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import tomli_w
import xarray as xr
from rich.console import Console

from dovetail import testing
from dovetail.cli.progress import note, telling
from dovetail.core.parameter_map import Chart
from dovetail.testing import run_folder


def _computed(chart: Chart) -> xr.Dataset:
    """A map's answers; how far it is, where it tells."""
    if "progress" in inspect.signature(chart.compute).parameters:
        with telling("computing the map") as tell:
            return chart.compute(progress=tell)  # type: ignore[call-arg]  # it was just seen that it takes one
    note("computing the map", None)
    with Console(stderr=True).status("computing the map"):
        return chart.compute()


def run_chart(file: testing.ChartFile, name: str, out: Path | None, report: bool = True) -> int:
    """Compute a map, write its folder and its page, print what it shows; the exit code."""
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{name}-map"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    try:
        data = _computed(file.chart)
    except KeyboardInterrupt:
        if kept := getattr(file.chart, "store", ""):
            say(f"kept      {kept}: what was done; the same command computes the rest")
        raise
    data.attrs |= {"title": file.title, "mode": "map"}
    resolved = {**testing.dump(file), run_folder.PROVENANCE: run_folder.provenance("map")}
    (target / "test.toml").write_text(tomli_w.dumps(resolved), "utf-8")
    partial = target / "result.nc.partial"
    data.to_netcdf(partial, engine="h5netcdf")
    os.replace(partial, target / "result.nc")
    say(file.title)
    say(file.chart.summary(data))
    say(f"written   {target}")
    if report:
        from dovetail.report.map_page import write_chart

        say(f"report    {write_chart(file, data, target / 'report.html')}")
    return 0
