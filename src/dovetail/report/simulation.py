"""The page on a simulation without a rig: its outcome, what it measured, and its signals in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.core import signals
from dovetail.report.page import Folded, Page, Picture, Section, Table, Verdict
from dovetail.report.style import new_figure

SKIPPED = ("node_position", "excitation")  # too many lines for a plot in time


def write_simulation(run: Any, path: str | Path) -> Path:
    """Write the report on one run of a simulation."""
    from dovetail.testing import dump

    data = run.data
    tone = "good" if run.outcome.completed else "bad"
    verdict = Verdict(f"{run.outcome.name.capitalize().replace('_', ' ')}: {run.outcome.value}", tone)
    blocks: list[Any] = []
    measures = getattr(run.test.system, "measures", None)
    if measures:
        rows = [[name, text] for name, text in measures(data).items()]
        blocks.append(Section("Measures", [Table(("measure", "value"), rows)]))
    if "node_position" in data:
        blocks.append(Section("Shape", [Picture(_shapes(data), "The chain at equal times, light to dark.")]))
    pictures = [
        Picture(_trace(data, name), f"{signals.signal(name).label}.")
        for name in data.data_vars
        if name not in SKIPPED
    ]
    blocks.append(Section("Signals", pictures))
    blocks.append(Folded("The simulation as it was run", tomli_w.dumps(dump(run.test))))
    return Page(run.title, verdict, blocks, subtitle="Simulation without a rig").write(path)


def _trace(data: Any, name: str):
    figure, ((axes,),) = new_figure(height=2.2)
    values = data[name].values.reshape(len(data.time), -1)
    every = max(1, len(values) // 2000)
    labels = [str(a) for a in data["axis"].values] if "axis" in data[name].dims else [""] * values.shape[1]
    for column, label in zip(values.T, labels, strict=False):
        axes.plot(data.time.values[::every], column[::every], lw=1.0, label=label or None)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"{data[name].attrs['symbol']} [{data[name].attrs['units']}]")
    if labels[0]:
        axes.legend(loc="upper right", ncols=3)
    return figure


def _shapes(data: Any):
    figure, ((side, front),) = new_figure(1, 2, height=3.2)
    nodes = data["node_position"].values
    for k, place in enumerate(np.linspace(0, len(nodes) - 1, 9).astype(int)):
        shade = str(0.8 - 0.1 * k)
        side.plot(nodes[place, 0], nodes[place, 1], color=shade, lw=1.0)
        front.plot(nodes[place, 2], nodes[place, 1], color=shade, lw=1.0)
    for axes, label in ((side, "x"), (front, "z")):
        axes.set_xlabel(f"{label} [m]")
        axes.set_ylabel("y [m], down")
        axes.invert_yaxis()
        axes.set_aspect("equal", adjustable="datalim")
    return figure
