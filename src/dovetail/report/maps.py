"""Figures of a campaign: a measure over one parameter, a map over two parameters, and sensitivities."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.cm import ScalarMappable
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

from dovetail.report.style import COLOURS, figure_style, new_figure
from dovetail.report.style import SHADES as LINES

SHADES = "cividis"  # readable with any colour vision and in grey
NOTHING = 1e-3  # fraction of the largest effect; smaller effects are shown as about 0
TALL = 22  # letters in one line of a vertical axis label
LEVELS = 4  # approximate number of contour lines
LABEL = np.array([0.5, 0.22])  # [in] size of a contour label with its background
PANEL = np.array([2.6, 2.4])  # [in] size of a map on a phone
GROUND = "#101317"  # background of contour labels, in light and dark mode
POINTS = 4000  # points of a scatter plot; more are not distinguishable and increase the file size


def bars(shares: Sequence[tuple[str, float]]) -> Figure:
    """Draw the sensitivity to each parameter as bars, largest on top."""
    figure, axes = new_figure(height=0.7 + 0.32 * len(shares))
    ax = axes[0, 0]
    with figure_style():
        places = np.arange(len(shares))[::-1]
        values = [value for _, value in shares]
        ax.barh(places, values, height=0.6, color=COLOURS["demand"])
        ax.set_yticks(places, [name for name, _ in shares])
        for place, value in zip(places, values, strict=True):
            text = f"{value:.3g}" if value >= NOTHING * max(values) else "about 0"
            ax.annotate(text, (value, place), (4, 0), textcoords="offset points", va="center")
        ax.set_xlim(0, 1.12 * max([*values, 1e-12]))
        ax.grid(axis="y", visible=False)
    return figure


def curves(x: np.ndarray, y: np.ndarray, words: np.ndarray, x_label: str, y_label: str) -> Figure:
    """Draw a measure over one parameter, one line for each of `words`; points with equal value are averaged."""
    figure, axes = new_figure(height=2.6)
    ax = axes[0, 0]
    good = np.isfinite(y)
    with figure_style():
        for i, word in enumerate(dict.fromkeys(words)):
            own = good & (words == word)
            distinct, place = np.unique(x[own], return_inverse=True)
            if len(distinct):
                means = np.bincount(place, y[own]) / np.bincount(place)
                shade = LINES[i % len(LINES)]
                ax.plot(distinct, means, "o-", ms=3, lw=1.2, color=shade, label=str(word))
        if _spans_decades(np.unique(x)):
            _decades(ax.xaxis)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05))
        ax.set(xlabel=x_label, ylabel=_beside(y_label))
    return figure


def curve(x: np.ndarray, y: np.ndarray, x_label: str, y_label: str) -> Figure:
    """Draw a measure over one parameter: points, and the line of the means at equal values."""
    figure, axes = new_figure(height=2.6)
    ax = axes[0, 0]
    good = np.isfinite(y)
    x, y = x[good], y[good]
    with figure_style():
        if len(x):
            distinct, place = np.unique(x, return_inverse=True)
            means = np.bincount(place, y) / np.bincount(place)
            ax.plot(x[:POINTS], y[:POINTS], "o", ms=3, color=COLOURS["reference"])
            if len(distinct) <= 200:
                ax.plot(distinct, means, color=COLOURS["demand"])
            if _spans_decades(distinct):
                _decades(ax.xaxis)
        ax.set_xlabel(x_label)
        ax.set_ylabel(_beside(y_label))
    return figure


def _beside(label: str) -> str:
    """Wrap a vertical axis label to the height of the panel."""
    return textwrap.fill(label, TALL, break_long_words=False)


def field(x: np.ndarray, y: np.ndarray, values: np.ndarray, x_label: str, y_label: str, label: str) -> Figure:
    """Draw a measure (y, x) on a grid as coloured cells, with contour lines if it is smooth."""
    figure, axes = new_figure(height=3.4)
    ax = axes[0, 0]
    with figure_style():
        ax.grid(visible=False)
        drawn = ax.pcolormesh(edges(x), edges(y), values, cmap=SHADES, rasterized=True)
        for axis, edge in ((ax.xaxis, x), (ax.yaxis, y)):
            if _spans_decades(edge):
                _decades(axis)
        if _smooth(values):
            _label_contours(ax, ax.contour(x, y, values, levels=LEVELS, colors="white", linewidths=0.9))
        _name(ax, drawn, x_label, y_label, label)
    return figure


def _label_contours(ax: Axes, lines: ContourSet) -> None:
    """Label each contour line of a map on a dark background, where labels do not overlap.

    Each label is placed as far as possible from the previous labels, relative to its size on a phone. A line without a
    free position has no label; the colour bar shows its value.
    """
    placed: list[np.ndarray] = []
    to_panel = ax.transData + ax.transAxes.inverted()
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        data = np.asarray(path.vertices)
        if not len(data):
            continue
        room = LABEL / PANEL  # label size as a fraction of a panel on a phone
        places = to_panel.transform(data) / room
        inside = np.all((places > 0.6) & (places < 1 / room - 0.6), axis=1)
        free = np.min([np.abs(places - other).max(axis=1) for other in placed] or [places[:, 0]], axis=0)
        best = int(np.argmax(np.where(inside, free, -np.inf)))
        if not inside[best] or (placed and free[best] < 1.1):
            continue
        placed.append(places[best])
        ground = {"boxstyle": "round,pad=0.15", "facecolor": GROUND, "edgecolor": "none"}
        across, up = data[best]
        ax.text(across, up, f"{level:.3g}", color="white", ha="center", va="center", bbox=ground)


def scatter(x: np.ndarray, y: np.ndarray, z: np.ndarray, x_label: str, y_label: str, label: str) -> Figure:
    """Draw a measure at scattered points by colour, with at most `POINTS` points."""
    figure, axes = new_figure(height=3.4)
    ax = axes[0, 0]
    every = max(1, -(-len(x) // POINTS))
    with figure_style():
        drawn = ax.scatter(x[::every], y[::every], c=z[::every], s=9, cmap=SHADES, rasterized=len(x) > 500)
        _name(ax, drawn, x_label, y_label, label)
    return figure


def _name(ax: Axes, drawn: ScalarMappable, x_label: str, y_label: str, label: str) -> None:
    """Label both axes and the colour bar."""
    ax.figure.colorbar(drawn, ax=ax, label=label)
    ax.set(xlabel=x_label, ylabel=y_label)


def _decades(axis: Axis) -> None:
    """Set a logarithmic axis with plain numbers; formulas are not parsed."""
    axis.axes.set(**{"xscale" if isinstance(axis, XAxis) else "yscale": "log"})
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(lambda value, _: "")


def _smooth(values: np.ndarray) -> bool:
    """Return whether a map is smooth: the total variation of each row and column is close to its range."""
    if min(values.shape) < 4 or not np.isfinite(values).all() or not np.ptp(values) > 0:
        return False
    ways = [np.abs(np.diff(values, axis=axis)).sum(axis=axis).max() for axis in (0, 1)]
    return bool(max(ways) < 1.6 * np.ptp(values))


def edges(centres: np.ndarray) -> np.ndarray:
    """Return the edges of cells from their centres, on a linear or logarithmic scale."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    log = _spans_decades(centres)
    c = np.log(centres) if log else centres
    middle = (c[1:] + c[:-1]) / 2
    edges = np.concatenate([[2 * c[0] - middle[0]], middle, [2 * c[-1] - middle[-1]]])
    return np.exp(edges) if log else edges


def _spans_decades(values: np.ndarray) -> bool:
    """Return whether values span more than a factor 20 with nearly even logarithmic spacing."""
    if len(values) < 3 or np.min(values) <= 0 or np.max(values) < 20 * np.min(values):
        return False
    steps = np.diff(np.log(np.sort(values)))
    return bool(np.max(steps) < 3 * np.median(steps))
