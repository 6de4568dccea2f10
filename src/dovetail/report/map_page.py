"""Report on a map: figures, summary and file.

The attribute `picture` of the map selects the type of figure: lines along one coordinate, colours over two coordinates,
outcomes as symbols, or measured, modelled and reference values as bars.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
import xarray as xr
from matplotlib.figure import Figure

from dovetail.core.parameter_map import ParameterMap
from dovetail.core.si_prefix import si_prefix
from dovetail.report.html import write_page
from dovetail.report.page import Collapsible, FigureBlock, Page, PageSection, Verdict
from dovetail.report.style import COLOURS, SHADES, WIDTH, figure_style, legend_columns, new_figure

ENDINGS = (("#e8e2d0", "?"), ("#bfe3d0", "o"), ("#f2d5c4", "·"))  # undecided, success, failure
SYSTEMS = {
    "d": ("reference", COLOURS["reference"]),
    "m": ("modelled test", COLOURS["demand"]),
    "h": ("measured", COLOURS["measured"]),
}


def write_map(file: Any, data: xr.Dataset, path: str | Path) -> Path:
    """Write the report on a computed map."""
    from dovetail.testing import dump

    pictures = draw(file.map, data)
    blocks: list[Any] = [PageSection("Picture", pictures)] if pictures else []
    blocks.append(PageSection("Values", [Collapsible("Summary", file.map.summary(data))]))
    blocks.append(PageSection("File", [Collapsible("Map file", tomli_w.dumps(dump(file)))]))
    verdict = Verdict(f"Computed: {_size(data)}.", "plain")
    return write_page(Page(file.title or "Map", verdict, blocks, subtitle="Map"), path)


def _size(data: xr.Dataset) -> str:
    sizes = [f"{n} of {str(name).replace('_', ' ')}" for name, n in data.sizes.items()]
    count = int(np.prod(list(data.sizes.values())))
    return f"{count} points, {' by '.join(sizes)}" if len(sizes) > 1 else sizes[0] if sizes else "1 point"


def draw(chart: ParameterMap, data: xr.Dataset) -> list[FigureBlock]:
    """Return the figures of a computed map."""
    data = chart.figure_data(data)
    if chart.figure == "none":
        return []
    if chart.figure == "outcomes":
        return [FigureBlock(outcomes(data), "Each cell is one run, with its number of impacts.")]
    if chart.figure == "map":
        return [
            FigureBlock(draw_colour_map(data[name]), _caption(data[name], name)) for name in data.data_vars
        ]
    if chart.figure == "bars":
        names = dict.fromkeys(
            str(name).rpartition("_")[0] for name in data.data_vars if str(name).endswith("_h")
        )
        return [FigureBlock(bars(data, name), f"Peak {name} of each impact.") for name in names]
    drawn = [
        name for name in data.data_vars if chart.line_coordinate in ("", *data[name].dims) and data[name].ndim
    ]
    return [
        FigureBlock(
            lines(data[name], chart.line_coordinate or str(data[name].dims[-1]), chart.labels(data)),
            _caption(data[name], name),
        )
        for name in drawn
    ]


def _caption(values: xr.DataArray, name: Any) -> str:
    text = str(values.attrs.get("long_name", str(name).replace("_", " ")))
    return f"{text[:1].upper()}{text[1:]}."


def lines(values: xr.DataArray, along: str, labels: list[str] | None = None) -> Figure:
    """Draw one line for each value of the other coordinates along one; points if that one has names."""
    table = values.transpose(along, ...).values.reshape(values.sizes[along], -1)
    others = [d for d in values.dims if d != along]
    names = labels if labels and len(labels) == table.shape[1] else _names(values, others)
    factor, unit = si_prefix(table, values.attrs.get("units", "1"))
    figure, ((axes,),) = new_figure(height=3.4)
    with figure_style():
        named = values[along].dtype.kind in "US"
        x = np.arange(values.sizes[along]) if named else values[along].values
        scale, x_unit = (1.0, "") if named else si_prefix(x, values[along].attrs.get("units", "1"))
        if not named and x.min() > 0 and x.max() / x.min() > 30:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(lambda value, _: "")
        for column, name, shade in zip(table.T, names, _shades(len(names)), strict=True):
            axes.plot(
                scale * x, factor * column, "o" if named else "o-", ms=3.5, color=shade, label=name or None
            )
        if named:
            axes.set_xticks(x, values[along].values, rotation=20, ha="right")
        label = str(values[along].attrs.get("long_name", along.replace("_", " ")))
        axes.set_xlabel(f"{label} [{x_unit}]" if x_unit else label)
        what = str(values.name).replace("_", " ")
        axes.set_ylabel(f"{what} [{unit}]" if unit else what)
        if any(names):
            columns = legend_columns([name for name in names if name])
            figure.legend(loc="outside upper left", ncols=columns, handlelength=1.4, borderaxespad=0)
    return figure


def _names(values: xr.DataArray, others: list[Any]) -> list[str]:
    if not others:
        return [""]
    if len(others) > 1:
        return [str(i + 1) for i in range(int(np.prod([values.sizes[d] for d in others])))]
    return [f"{v:g}" if isinstance(v, float) else str(v) for v in values[others[0]].values.tolist()]


def _shades(count: int) -> list[Any]:
    if count <= len(SHADES):
        return list(SHADES[:count])
    import matplotlib as mpl

    return list(mpl.colormaps["viridis"](np.linspace(0.25, 0.9, count)))


def draw_colour_map(values: xr.DataArray) -> Figure:
    """Draw colours over two coordinates, with the contour of the value 1."""
    rows, columns = values.dims
    x, y = values[columns].values, values[rows].values
    scale, unit = si_prefix(x, values[columns].attrs.get("units", "1"))
    figure, ((axes,),) = new_figure(height=3.6, width=WIDTH * 0.75)
    with figure_style():
        positive = bool(
            np.all(values.values > 0)
        )  # logarithmic colours: factors 2 and 1/2 are equally far from 1
        reach = (
            float(np.clip(np.nanmax(np.abs(np.log(values.values))), 1e-9, np.log(10))) if positive else None
        )
        colours = np.log(values.values) if reach else values.values
        mesh = axes.pcolormesh(
            scale * x,
            y,
            colours,
            cmap="PuOr_r" if reach else "viridis",
            shading="nearest",
            vmin=-reach if reach else None,
            vmax=reach,
        )
        for i, j in np.ndindex(values.shape):
            axes.text(
                scale * x[j],
                y[i],
                f"{values.values[i, j]:.3g}",
                ha="center",
                va="center",
                fontsize=10,
                color="white" if reach and abs(colours[i, j]) > 0.6 * reach else COLOURS["ink"],
            )
        if values.values.min() < 1 < values.values.max():
            axes.contour(scale * x, y, values.values, levels=[1.0], colors=COLOURS["ink"], linewidths=1.6)
        mesh.set_edgecolor("face")
        axes.set_xlabel(f"{values[columns].attrs.get('long_name', columns)} [{unit}]")
        axes.set_ylabel(str(values[rows].attrs.get("long_name", rows)))
        axes.grid(visible=False)
    return figure


def outcomes(data: xr.Dataset) -> Figure:
    """Draw the outcomes over two coordinates, with the number of impacts of each run."""
    figure, ((axes,),) = new_figure(height=4.6, width=WIDTH * 0.85)
    with figure_style():
        mark_outcomes(axes, data)
        legend = figure.legend(loc="outside upper left", ncols=3, handletextpad=0.4, borderaxespad=0)
        for handle in legend.legend_handles:
            handle.set_sizes([80])
    return figure


def mark_outcomes(axes: Any, data: xr.Dataset, size: float = 620.0) -> None:
    """Draw the outcomes on given axes; the attribute `words` of `ending` holds their names."""
    down, across = (data[name] for name in data.ending.dims)
    for k, (name, (colour, _)) in enumerate(zip(data.ending.attrs["words"], ENDINGS, strict=True)):
        i, j = np.nonzero(data.ending.values == k)
        if len(i):
            axes.scatter(across[j], down[i], s=size, marker="s", color=colour, lw=0, label=name)
    for i, j in np.ndindex(data.ending.shape):
        text = f"{ENDINGS[int(data.ending.values[i, j])][1]}\n{int(data.impacts.values[i, j])}"
        axes.text(float(across[j]), float(down[i]), text, ha="center", va="center", fontsize=10)
    axes.set_xticks(across.values)
    axes.set_yticks(down.values)
    axes.set_xlabel(f"{across.attrs['long_name']} [{across.attrs['units']}]")
    axes.set_ylabel(f"{down.attrs['long_name']} [{down.attrs['units']}]")
    axes.margins(0.09)
    axes.grid(visible=False)


def bars(data: xr.Dataset, name: str) -> Figure:
    """Draw reference, modelled and measured peaks of each impact, at the first restitution of the map."""
    impacts = data.isel(restitution=0) if "restitution" in data.dims else data
    figure, ((axes,),) = new_figure(height=3.0)
    values = [impacts[f"{name}_{letter}"].values for letter in SYSTEMS]
    factor, unit = si_prefix(values, impacts[f"{name}_h"].attrs.get("units", "1"))
    with figure_style():
        for k, ((label, colour), column) in enumerate(zip(SYSTEMS.values(), values, strict=True)):
            axes.bar(impacts.impact.values + 0.27 * (k - 1), factor * column, 0.25, color=colour, label=label)
        axes.set_xticks(impacts.impact.values)
        axes.set_xlabel("impact")
        axes.set_ylabel(f"peak {name} [{unit}]")
        axes.grid(axis="x", visible=False)
        figure.legend(loc="outside upper left", ncols=3, borderaxespad=0)
    return figure


__all__ = ["bars", "draw", "draw_colour_map", "lines", "mark_outcomes", "outcomes", "write_map"]
