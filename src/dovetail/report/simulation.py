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
    if "platform_position" in data:  # an aircraft among decks
        from dovetail.report.deck import deck_sections

        blocks += deck_sections(run)
        blocks.append(Folded("The simulation as it was run", tomli_w.dumps(dump(run.test))))
        return Page(run.title, verdict, blocks, subtitle="Simulation without a rig").write(path)
    if "node_position" in data:
        figure, times = _shapes(data)
        caption = f"The chain from light to dark at {', '.join(f'{t:.3g}' for t in times)} s."
        blocks.append(Section("Shape", [Picture(figure, caption)]))
    # a system may say what comes first, and what a general name means for it
    first = [name for name in getattr(run.test.system, "FIRST", ()) if name in data]
    captions = getattr(run.test.system, "CAPTIONS", {})
    lines = getattr(run.test.system, "lines", [])
    names = first + [name for name in data.data_vars if name not in first]
    pictures = [
        Picture(_trace(data, name, lines), f"{captions.get(name, signals.signal(name).label)}.")
        for name in names
        if name not in SKIPPED
    ]
    blocks.append(Section("Signals", pictures))
    blocks.append(Folded("The simulation as it was run", tomli_w.dumps(dump(run.test))))
    return Page(run.title, verdict, blocks, subtitle="Simulation without a rig").write(path)


def _trace(data: Any, name: str, lines: list[str]):
    if "axis" in data[name].dims and data[name].ndim == 3:
        return _each_axis(data, name, lines)
    figure, ((axes,),) = new_figure(height=2.2)
    values = data[name].values.reshape(len(data.time), -1)
    every = max(1, len(values) // 2000)
    labels = [str(a) for a in data["axis"].values] if "axis" in data[name].dims else [""] * values.shape[1]
    many = values.shape[1] > 10  # along the chain, light at the support and dark at the tip
    for k, (column, label) in enumerate(zip(values.T, labels, strict=False)):
        shade = f"{0.75 - 0.75 * k / (values.shape[1] - 1):.3f}".lstrip("-") if many else None
        axes.plot(data.time.values[::every], column[::every], lw=1.0, label=label or None, color=shade)
    axes.set_xlabel("time [s]")
    symbol = "" if labels[0] else f"{data[name].attrs['symbol']} "
    axes.set_ylabel(f"{symbol}[{data[name].attrs['units']}]")
    if labels[0]:
        axes.legend(loc="upper right", ncols=3)
    elif len(lines) == values.shape[1]:
        axes.legend(axes.lines, lines, loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize="small")
    return figure


def _each_axis(data: Any, name: str, lines: list[str]):
    """Several vectors in time: a panel for each axis."""
    labels = [str(a) for a in data["axis"].values]
    figure, panels = new_figure(len(labels), 1, height=1.4 * len(labels))
    every = max(1, len(data.time) // 2000)
    for (axes,), label, values in zip(panels, labels, np.moveaxis(data[name].values, 1, 0), strict=True):
        drawn = axes.plot(data.time.values[::every], values[::every], lw=1.0)
        axes.set_ylabel(f"{label} [{data[name].attrs['units']}]")
    panels[-1][0].set_xlabel("time [s]")
    if len(lines) == len(drawn):
        panels[0][0].legend(drawn, lines, loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize="small")
    return figure


def _moments(nodes: np.ndarray, number: int = 9) -> np.ndarray:
    """Places in time between which the chain moves equally far, so that a short swing is not missed."""
    step = np.sqrt(np.mean(np.sum(np.diff(nodes, axis=0) ** 2, axis=1), axis=-1))
    way = np.concatenate([[0.0], np.cumsum(step)])
    if not way[-1] > 0:
        return np.zeros(1, dtype=int)
    return np.unique(np.searchsorted(way, np.linspace(0, way[-1], number) * (1 - 1e-12)))


def _shapes(data: Any):
    figure, ((side, front),) = new_figure(1, 2, height=3.2)
    nodes = data["node_position"].values
    places = _moments(nodes)
    for k, place in enumerate(places):
        shade = f"{0.8 - 0.8 * k / max(1, len(places) - 1):.3f}".lstrip("-")
        side.plot(nodes[place, 0], nodes[place, 1], color=shade, lw=1.0)
        front.plot(nodes[place, 2], nodes[place, 1], color=shade, lw=1.0)
    for axes, label in ((side, "x"), (front, "z")):
        axes.set_xlabel(f"{label} [m]")
        axes.set_ylabel("y [m], down")
        axes.invert_yaxis()
        axes.set_aspect("equal", adjustable="datalim")
    return figure, data.time.values[places]
