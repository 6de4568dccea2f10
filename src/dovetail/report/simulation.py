"""Report on a simulation without a rig: outcome, results, and signals over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import tomli_w

from dovetail import fidelity
from dovetail.core import roles, signals
from dovetail.core.decimate import decimate
from dovetail.core.si_prefix import si_prefix
from dovetail.report import tiles
from dovetail.report.judged import DUST
from dovetail.report.keyframe import key_frame
from dovetail.report.page import Collapsible, FigureBlock, Page, PageSection, PageTable, Paragraph, Verdict
from dovetail.report.section_list import page_sections
from dovetail.report.style import COLOURS, figure_style, legend_columns, new_figure, symbol

ENERGIES = ("kinetic_energy", "gravity_energy", "elastic_energy", "external_work", "damping_work")
ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
SKIPPED = ("node_position", "excitation")  # too many lines for a time history


def simulation_page(run: Any) -> Page:
    """Return the report on one run of a simulation."""
    from dovetail.testing import dump

    data = run.recording
    balance = run.energy_balance
    closes = balance is None or balance.closes
    verdict = Verdict(
        run.outcome.value if closes else f"{run.outcome.value} {balance}",
        "plain" if run.outcome.completed and closes else "bad",
    )
    answers, picture = tiles.simulation_tiles(run), key_frame(run)
    blocks: list[Any] = []
    system = run.test.numerical
    if rows := list(fidelity.results(run).items()):
        blocks.append(PageSection("Results", [PageTable(("quantity", "value"), rows)]))
    if "platform_position" in data:  # an aircraft on a deck
        from dovetail.report.ship_deck import deck_sections

        blocks += deck_sections(run)
        blocks += page_sections(run, ())
        blocks.append(Collapsible("Simulation file", tomli_w.dumps(dump(run.test))))
        return Page(run.title, verdict, blocks, "Simulation without a rig", answers, picture)
    if "node_position" in data:
        figure, times = _shapes(data)
        caption = f"Rope shape, darker is later, at {', '.join(f'{t:.3g}' for t in times)} s."
        blocks.append(PageSection("Shape", [FigureBlock(figure, caption)]))
    first, captions = (system.FIRST, system.CAPTIONS) if isinstance(system, roles.Captioned) else ((), {})
    first = [name for name in first if name in data]
    lines = system.lines if isinstance(system, roles.NamesLines) else []
    names = first + [name for name in data if name not in first]
    names = [name for name in names if name not in SKIPPED]
    still = [name for name in names if not np.any(data[name].values)]
    together = [name for name in ENERGIES if name in names and data[name].dims == ("time",)]
    drawn = [name for name in names if name not in still and name not in together]
    pictures: list[Any] = [
        FigureBlock(_trace(data, name, lines), _sentence(captions.get(name, signals.signal(name).label)))
        for name in drawn
    ]
    if together:
        caption = "Energy and external work."
        pictures.append(FigureBlock(_energies(data, together), caption))
    if still:
        labels_text = "; ".join(captions.get(name, signals.signal(name).label) for name in still)
        pictures.append(Paragraph(f"Zero at all times: {labels_text}."))
    blocks += page_sections(run, [("Signals", pictures)])
    blocks.append(Collapsible("Simulation file", tomli_w.dumps(dump(run.test))))
    return Page(run.title, verdict, blocks, "Simulation without a rig", answers, picture)


def _trace(data: Any, name: str, lines: list[str]):
    if "axis" in data[name].dims and data[name].ndim == 3:
        return _each_axis(data, name, lines)
    values = data[name].values.reshape(data.time.size, -1)
    count = values.shape[1]
    symbols = [symbol(word) for word in str(data[name].attrs["symbol"]).split(", ")]
    if "axis" in data[name].dims:
        labels, what = [str(a) for a in data["axis"].values], ""
    elif len(lines) == count or len(symbols) != count or count == 1:
        labels, what = lines if len(lines) == count else [], f"{', '.join(symbols)} "
    else:
        labels, what = symbols, ""
    figure, ((axes,),) = new_figure(height=2.4 if labels else 2.2)
    with figure_style():
        scale = si_prefix(values, data[name].attrs["units"])
        _lines(axes, data.time.values, values, scale, what, labels)
        axes.set_xlabel("time [s]")
    return figure


def _lines(
    axes: Any, time: np.ndarray, values: np.ndarray, scale: tuple[float, str], what: str, labels: list[str]
) -> None:
    """Draw columns over time, with the legend above the panel, where it covers no line."""
    count = values.shape[1]
    factor, unit = scale
    for k, column in enumerate(values.T):
        # along the chain: pale at the support, dark at the tip
        shade = line_style(k, count) if count > 10 else {}
        axes.plot(*decimate(time, factor * column), lw=1.0, **shade)
    axes.set_ylabel(f"{what}[{unit}]" if unit else what)
    if len(labels) == count:
        axes.legend(axes.lines, labels, ncols=legend_columns(labels), **ABOVE)


def line_style(k: int, count: int) -> dict[str, Any]:
    """Return the style of line `k` of `count`: first line pale, last line opaque."""
    return {"color": COLOURS["ink"], "alpha": 1.0 - 0.8 * (count - 1 - k) / max(1, count - 1)}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _each_axis(data: Any, name: str, lines: list[str]):
    """Draw several vectors over time, one panel for each axis with values above rounding error."""
    values = data[name].values
    reach = np.nanmax(np.abs(values), axis=(0, 2))
    moving = [k for k in range(values.shape[1]) if reach[k] > DUST * reach.max()]
    labels = [str(data["axis"].values[k]) for k in moving]
    figure, panels = new_figure(len(labels), 1, height=1.4 * len(labels))
    scale = si_prefix(values, data[name].attrs["units"])
    with figure_style():
        for i, ((axes,), k) in enumerate(zip(panels, moving, strict=True)):
            named = lines if i == 0 else []
            _lines(axes, data.time.values, values[:, k], scale, f"{labels[i]} ", named)
        panels[-1][0].set_xlabel("time [s]")
    return figure


def _energies(data: Any, names: list[str]):
    """Draw energies and works in one panel."""
    figure, ((axes,),) = new_figure(height=2.9)
    values = np.stack([data[name].values for name in names], axis=1)
    labels = [signals.signal(name).label.partition(",")[0] for name in names]
    with figure_style():
        _lines(axes, data.time.values, values, si_prefix(values, "J"), "", labels)
        axes.set_xlabel("time [s]")
    return figure


def _moments(nodes: np.ndarray, number: int = 9) -> np.ndarray:
    """Return sample indices between which the chain moves equally far, so that short motions are included."""
    step = np.sqrt(np.mean(np.sum(np.diff(nodes, axis=0) ** 2, axis=1), axis=-1))
    way = np.concatenate([[0.0], np.cumsum(step)])
    if not way[-1] > 0:
        return np.zeros(1, dtype=int)
    return np.unique(np.searchsorted(way, np.linspace(0, way[-1], number) * (1 - 1e-12)))


def _shapes(data: Any):
    """Draw the chain from the side and from behind; plane motion only from the side."""
    nodes = data["node_position"].values
    views = ((0, "x"), (1, "y")) if np.any(nodes[:, 1]) else ((0, "x"),)
    figure, (panels,) = new_figure(1, len(views), height=3.2)
    places = _moments(nodes)
    with figure_style():
        for axes, (across, label) in zip(panels, views, strict=True):
            for k, place in enumerate(places):
                axes.plot(nodes[place, across], nodes[place, 2], lw=1.0, **line_style(k, len(places)))
            axes.set(xlabel=f"{label} [m]", ylabel="z [m]")
            axes.set_aspect("equal", adjustable="datalim")
    return figure, data.time.values[places]
