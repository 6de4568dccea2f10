"""`dovetail run` for a file that asks for a map."""

from __future__ import annotations

import os
from pathlib import Path

import tomli_w
from rich.console import Console

from dovetail import testing
from dovetail.cli.telling import note
from dovetail.testing import folder


def run_chart(file: testing.ChartFile, name: str, out: Path | None, report: bool = True) -> int:
    """Compute a map, write its folder and its page, print what it shows; the exit code."""
    target = folder.create(out or folder.next_folder(Path("runs"), f"{name}-map"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    note("computing the map", None)
    with Console(stderr=True).status("computing the map"):
        data = file.chart.compute()
    data.attrs |= {"title": file.title, "mode": "map"}
    resolved = {**testing.dump(file), folder.PROVENANCE: folder.provenance("map")}
    (target / "test.toml").write_text(tomli_w.dumps(resolved), "utf-8")
    partial = target / "result.nc.partial"
    data.to_netcdf(partial, engine="h5netcdf")
    os.replace(partial, target / "result.nc")
    say(file.title)
    say(file.chart.summary(data))
    say(f"written   {target}")
    if report:
        from dovetail.report.charts import write_chart

        say(f"report    {write_chart(file, data, target / 'report.html')}")
    return 0
