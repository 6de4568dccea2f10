"""Figures of a campaign: a measure over one axis, over two as a map, and what each axis explains of it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis
from matplotlib.cm import ScalarMappable
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

from dovetail.report.map_page import SHADES as LINES
from dovetail.report.style import COLOURS, new_figure, styled

SHADES = "cividis"  # reads the same with any colour vision, and in grey
NOTHING = 1e-3  # of the strongest influence: one that is less cannot be told from none
TALL = 22  # letters beside a panel of one axis
LEVELS = 4  # lines of equal value, or about so many
LABEL = np.array([0.5, 0.22])  # [in] that the value on such a line takes, with its ground
PANEL = np.array([2.6, 2.4])  # [in] of a map on a phone
GROUND = "#101317"  # of it: dark also in the dark
POINTS = 4000  # of a scatter: more cannot be told apart and only make the page heavy


def bars(shares: Sequence[tuple[str, float]]) -> Figure:
    """What each axis explains, strongest on top."""
    figure, axes = new_figure(height=0.7 + 0.32 * len(shares))
    ax = axes[0, 0]
    with styled():
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
    """A measure over one axis, a line for each word, through the means where several share a value."""
    figure, axes = new_figure(height=2.6)
    ax = axes[0, 0]
    good = np.isfinite(y)
    with styled():
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
    """A measure over one axis: its points, and where several share a value the line of their means."""
    figure, axes = new_figure(height=2.6)
    ax = axes[0, 0]
    good = np.isfinite(y)
    x, y = x[good], y[good]
    with styled():
        if len(x):
            distinct, place = np.unique(x, return_inverse=True)
            means = np.bincount(place, y) / np.bincount(place)
            ax.plot(x[:POINTS], y[:POINTS], "o", ms=3, color=COLOURS["ideal"])
            if len(distinct) <= 200:
                ax.plot(distinct, means, color=COLOURS["demand"])
            if _spans_decades(distinct):
                _decades(ax.xaxis)
        ax.set_xlabel(x_label)
        ax.set_ylabel(_beside(y_label))
    return figure


def _beside(label: str) -> str:
    """A label that stands beside a panel of this height, in lines that are not longer than it."""
    return textwrap.fill(label, TALL, break_long_words=False)


def field(x: np.ndarray, y: np.ndarray, values: np.ndarray, x_label: str, y_label: str, label: str) -> Figure:
    """A measure (y, x) on a grid as coloured fields, with lines of equal value where it is fine enough."""
    figure, axes = new_figure(height=3.4)
    ax = axes[0, 0]
    with styled():
        ax.grid(visible=False)
        drawn = ax.pcolormesh(edges(x), edges(y), values, cmap=SHADES, rasterized=True)
        for axis, edge in ((ax.xaxis, x), (ax.yaxis, y)):
            if _spans_decades(edge):
                _decades(axis)
        if _smooth(values):
            _written(ax, ax.contour(x, y, values, levels=LEVELS, colors="white", linewidths=0.9))
        _name(ax, drawn, x_label, y_label, label)
    return figure


def _written(ax: Axes, lines: ContourSet) -> None:
    """Write its value on each line of a map, on a ground that is dark on any colour, where no other is in the way.

    Each stands where it is farthest from those before it, as counted in its own size on a phone. A line that has no
    such place goes without: the colours beside the map tell it too.
    """
    placed: list[np.ndarray] = []
    to_panel = ax.transData + ax.transAxes.inverted()
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        data = np.asarray(path.vertices)
        if not len(data):
            continue
        room = LABEL / PANEL  # of a label, as a share of a panel on a phone
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
    """A measure at scattered points, by colour; many are thinned out."""
    figure, axes = new_figure(height=3.4)
    ax = axes[0, 0]
    every = max(1, -(-len(x) // POINTS))
    with styled():
        drawn = ax.scatter(x[::every], y[::every], c=z[::every], s=9, cmap=SHADES, rasterized=len(x) > 500)
        _name(ax, drawn, x_label, y_label, label)
    return figure


def _name(ax: Axes, drawn: ScalarMappable, x_label: str, y_label: str, label: str) -> None:
    """Say what both directions and the colours stand for."""
    ax.figure.colorbar(drawn, ax=ax, label=label)
    ax.set(xlabel=x_label, ylabel=y_label)


def _decades(axis: Axis) -> None:
    """By decades, with numbers as people write them: text is text here, and a power would be shown as its source."""
    axis.axes.set(**{"xscale" if isinstance(axis, XAxis) else "yscale": "log"})
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(lambda value, _: "")


def _smooth(values: np.ndarray) -> bool:
    """Whether lines of equal value would be few: no row or column goes up and down by much more than its range."""
    if min(values.shape) < 4 or not np.isfinite(values).all() or not np.ptp(values) > 0:
        return False
    ways = [np.abs(np.diff(values, axis=axis)).sum(axis=axis).max() for axis in (0, 1)]
    return bool(max(ways) < 1.6 * np.ptp(values))


def edges(centres: np.ndarray) -> np.ndarray:
    """Edges of fields about their centres, evenly or by decades as these are."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    log = _spans_decades(centres)
    c = np.log(centres) if log else centres
    middle = (c[1:] + c[:-1]) / 2
    edges = np.concatenate([[2 * c[0] - middle[0]], middle, [2 * c[-1] - middle[-1]]])
    return np.exp(edges) if log else edges


def _spans_decades(values: np.ndarray) -> bool:
    """Whether values are spread evenly over more than a decade in their logarithm."""
    if len(values) < 3 or np.min(values) <= 0 or np.max(values) < 20 * np.min(values):
        return False
    steps = np.diff(np.log(np.sort(values)))
    return bool(np.max(steps) < 3 * np.median(steps))
