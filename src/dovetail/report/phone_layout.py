"""Phone layout of a figure: as wide as the screen, with panels and legend entries stacked.

Letters keep their size. A figure that is only scaled down is not readable, and a wide figure has to be scrolled;
therefore the figure is laid out a second time.
"""

from __future__ import annotations

import contextlib
import itertools
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, Locator, MaxNLocator
from matplotlib.transforms import ScaledTranslation

from dovetail.report.style import ROOM, WIDTH, figure_style, legend_columns

NARROW = 4.5  # [in] figure width: on a screen of 420 px its letters of 10 pt are 11 px tall
LETTERS = 10.0  # [pt] size of these letters; a figure with smaller letters is narrower
APART = 6.0  # [px] gap between texts in a row
INSIDE = 0.8  # fraction of the figure width for a legend above its panel; the rest is for the tick labels
BESIDE = {"polar": 0.2, "3d": 0.4}  # [in] padding of such a panel, whose labels the layout engine ignores
STACKED = 0.8  # height factor of a panel that is alone in its row


@contextlib.contextmanager
def phone_layout(figure: Figure) -> Iterator[None]:
    """Lay a figure out for a phone inside the block; restore it afterwards."""
    wide, tall = figure.get_size_inches()
    panels = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    specs: list[Any] = [ax.get_subplotspec() for ax in panels]
    labelled = [_has_tick_labels(ax) for ax in panels]
    with figure_style():
        pad = max((BESIDE[ax.name] for ax in panels if ax.name in BESIDE), default=None)
        figure.draw_without_rendering()  # text is measured below; writing an SVG has left the measurements of the SVG
        figure.set_layout_engine("constrained", w_pad=pad, h_pad=pad)
        rows = _stack_panels(figure, panels, specs)
        width = NARROW * min(1.0, _smallest(figure) / LETTERS)
        above = [*figure.legends, *_standing(panels, lambda x, y: y > 0.99 > x)]
        legends = [(legend, _below(figure, legend, width)) for legend in above]
        more = sum(_tall(new) - _tall(old) for old, new in legends)
        aside = [(legend, _over(legend, width)) for legend in _standing(panels, lambda x, y: x > 0.99)]
        more += sum(_tall(new) for _, new in aside)
        legends += aside
        broad = [(legend, _over(legend, width)) for legend in _broad(panels, width)]
        more += sum(_tall(new) for _, new in broad)
        legends += broad
        height = tall * (1.0 if rows is None else STACKED * rows) + more
        figure.set_size_inches(width, height)
        long = _long(figure)
        hiding = [(legend, _over(legend, width)) for legend in _hiding(figure, panels)]
        legends += hiding
        figure.set_size_inches(width, height + sum(_tall(new) for _, new in hiding))
        crowded = _overlapping_texts(figure, panels)
        for text in crowded:
            text.set_visible(False)
        fewer = _fewer(figure, panels)
    try:
        yield
    finally:
        with figure_style():
            figure.set_layout_engine("constrained")
            figure.set_size_inches(wide, tall)
            for ax, spec, labels in zip(panels, specs, labelled, strict=True):
                ax.set_subplotspec(spec)
                ax.tick_params(**labels)
            for legend, taller in legends:
                taller.remove()
                _set_visible(legend, True)
            for text in crowded:
                text.set_visible(True)
            for text, words in long:
                text.set_text(words)
            for axis, locator in fewer:
                axis.set_major_locator(locator)


def _has_tick_labels(ax: Axes) -> dict[str, Any]:
    """Return whether the tick labels below and left of a panel are visible."""
    below, left = ax.xaxis.get_tick_params(), ax.yaxis.get_tick_params()
    return {"labelbottom": below.get("labelbottom", True), "labelleft": left.get("labelleft", True)}


def _smallest(figure: Figure) -> float:
    """Return the size [pt] of the smallest visible letters."""
    texts = [artist for artist in figure.findobj(Text) if isinstance(artist, Text)]
    sizes = [float(text.get_fontsize()) for text in texts if text.get_text() and text.get_visible()]
    return min(sizes, default=LETTERS)


def _below(figure: Figure, legend: Legend, width: float) -> Legend:
    """Replace a legend by one with as many columns as fit."""
    handles, names = _entries(legend)
    _set_visible(legend, False)
    below = figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=legend_columns(names, width),
        borderaxespad=0,
        handlelength=1.6,
    )
    return _alike(legend, below)


def _standing(panels: list[Axes], where: Callable[[float, float], bool]) -> list[Legend]:
    """Return the legends of panels whose anchor, in axes coordinates, satisfies `where`."""
    legends = [legend for ax in panels if (legend := ax.get_legend()) is not None]
    places = [
        legend.get_bbox_to_anchor().transformed(legend.axes.transAxes.inverted())
        for legend in legends
        if legend.axes is not None
    ]
    return [legend for legend, place in zip(legends, places, strict=True) if where(place.x0, place.y0)]


def _over(legend: Legend, width: float) -> Legend:
    """Replace a legend beside its panel by one above the panel and its texts."""
    handles, names = _entries(legend)
    _set_visible(legend, False)
    panel = legend.axes
    assert panel is not None
    figure, inside = panel.figure, panel.get_window_extent()
    boxes_of_text = [
        text.get_window_extent() for text in (*_titles(panel), *panel.texts) if text.get_visible()
    ]
    higher = [box.y1 - inside.y1 + APART / 2 for box in boxes_of_text if box.y0 > inside.y1 - 1.0]
    lift = max(higher, default=0.0)
    up_vector = ScaledTranslation(0.0, lift / figure.dpi, figure.dpi_scale_trans)
    room = INSIDE * width
    for columns in range(legend_columns(names, width), -1, -1):
        over = Legend(
            panel,
            handles,
            names,
            title=legend.get_title().get_text() or None,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            bbox_transform=panel.transAxes + up_vector,
            ncols=max(columns, 1),
            handlelength=1.6,
            borderaxespad=0.2,
            alignment="left",
        )
        if _length(_alike(legend, over)) <= room:
            break
        if columns == 1:  # too long even in one column
            names = [textwrap.fill(name, int(ROOM * room / WIDTH)) for name in names]
    panel.add_artist(over)
    over.set_clip_on(False)  # otherwise the layout engine reserves no space for it
    return over


def _alike(legend: Legend, other: Legend) -> Legend:
    """Copy font size and formula setting of a legend to the other, and return the other."""
    for ours, theirs in zip(legend.get_texts(), other.get_texts(), strict=True):
        theirs.set_parse_math(ours.get_parse_math())
        theirs.set_fontsize(ours.get_fontsize())
    return other


def _tall(legend: Legend) -> float:
    """Return the height [in] of a legend."""
    figure = legend.get_figure(root=True)
    return 0.0 if figure is None else float(legend.get_window_extent().height / figure.dpi)


def _length(legend: Legend) -> float:
    """Return the width [in] of a legend."""
    figure = legend.get_figure(root=True)
    return 0.0 if figure is None else float(legend.get_window_extent().width / figure.dpi)


def _entries(legend: Legend) -> tuple[list[Artist], list[str]]:
    """Return handles and names of a legend."""
    handles = [handle for handle in legend.legend_handles if handle is not None]
    return handles, [text.get_text() for text in legend.get_texts()]


def _overlapping_texts(figure: Figure, panels: list[Axes]) -> list[Text]:
    """Return texts in a row above a panel that would overlap the previous text."""
    rows = [[t for t in ax.texts if t.get_visible()] for ax in panels]
    if not any(len(row) > 2 for row in rows):
        return []
    _lay_out(figure)
    texts = []
    for row in rows:
        ends: dict[float, float] = {}  # [px] right end of the texts at each height [px]
        for text in sorted(row, key=lambda t: t.get_window_extent().x0):
            box = text.get_window_extent()
            if box.x0 < ends.get(round(box.y0), -APART) + APART:
                texts.append(text)
            else:
                ends[round(box.y0)] = box.x1
    return texts


def _fewer(figure: Figure, panels: list[Axes]) -> list[tuple[Axis, Locator]]:
    """Reduce the ticks of each axis until labels do not touch; return changed axes with their previous locator."""
    locators: list[tuple[Axis, Locator]] = []
    _lay_out(figure)
    for ax in panels:
        axis, locator = ax.xaxis, ax.xaxis.get_major_locator()
        if not isinstance(locator, AutoLocator) or not ax.get_visible():
            continue
        for count in range(len(axis.get_majorticklocs()), 1, -1):
            if not _touching(axis):
                break
            axis.set_major_locator(MaxNLocator(count - 1, steps=[1, 2, 2.5, 5, 10]))
        if axis.get_major_locator() is not locator:
            locators.append((axis, locator))
    return locators


def _touching(axis: Axis) -> bool:
    """Return whether tick labels of an axis are closer than `APART`."""
    low, high = sorted(axis.get_view_interval())
    axis.get_majorticklabels()  # updates their positions
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    boxes = [
        tick.label1.get_window_extent()
        for tick in ticks
        if tick.label1.get_visible() and tick.label1.get_text()
    ]
    boxes.sort(key=lambda box: box.x0)
    return any(after.x0 < before.x1 + APART for before, after in itertools.pairwise(boxes))


def _broad(panels: list[Axes], width: float) -> list[Legend]:
    """Return legends inside their panel that are too wide for a narrow panel."""
    there = [legend for ax in panels if (legend := ax.get_legend()) is not None and legend.get_visible()]
    return [legend for legend in there if _length(legend) > INSIDE * width]


def _hiding(figure: Figure, panels: list[Axes]) -> list[Legend]:
    """Return legends inside their panel that cover a line or a marker."""
    there = [legend for ax in panels if (legend := ax.get_legend()) is not None and legend.get_visible()]
    if there:
        _lay_out(figure)
    return [legend for legend in there if _covers(legend, panels)]


def _covers(legend: Legend, panels: list[Axes]) -> bool:
    """Return whether a legend covers a line or a marker."""
    panel = legend.axes
    assert panel is not None
    box = legend.get_window_extent()
    together = [ax for ax in panels if ax.get_subplotspec() == panel.get_subplotspec()]
    for line in (line for ax in together for line in ax.lines):
        path = line.get_transform().transform_path(line.get_path())
        joined = line.get_linestyle() != "None"
        dots = np.asarray(path.vertices)
        if len(dots) and (path.intersects_bbox(box, filled=False) if joined else box.count_contains(dots)):
            return True
    clouds = [marks.get_offsets() for marks in panel.collections if isinstance(marks, PathCollection)]
    return any(box.count_contains(panel.transData.transform(places)) for places in clouds)


def _lay_out(figure: Figure) -> None:
    """Run the layout engine."""
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()


def _long(figure: Figure) -> list[tuple[Text, str]]:
    """Wrap titles and labels that are too long for one line; return them with their original text."""
    _lay_out(figure)
    labels = []
    boxes = [ax.get_window_extent() for ax in figure.axes]
    for ax, panel in zip(figure.axes, boxes, strict=True):
        right = min((other.x0 for other in boxes if other.x0 > panel.x1), default=figure.bbox.x1)
        rooms = [(title, _room(title, right)) for title in _titles(ax)]
        rooms += [(ax.xaxis.label, _room(ax.xaxis.label, figure.bbox.x1)), (ax.yaxis.label, panel.height)]
        for text, room in rooms:
            box, words = text.get_window_extent(), text.get_text()
            length = box.height if text is ax.yaxis.label else box.width
            if words and length > room:
                labels.append((text, words))
                letters = max(int(0.9 * len(words) * room / length), 1)
                text.set_text(textwrap.fill(words, letters, break_long_words=False, break_on_hyphens=False))
    return labels


def _titles(ax: Axes) -> list[Text]:
    """Return the centre, left and right title of a panel."""
    return [child for child in ax.get_children() if isinstance(child, Text) and child not in ax.texts]


def _room(text: Text, right: float) -> float:
    """Return the available length [px] of a line at the position of a text."""
    box = text.get_window_extent()
    middle = 0.5 * (box.x0 + box.x1)
    rooms = {"left": right - box.x0, "right": box.x1, "center": 2.0 * min(middle, right - middle)}
    return float(rooms[text.get_horizontalalignment()])


def _set_visible(legend: Legend, visible: bool) -> None:
    legend.set_visible(visible)
    legend.set_in_layout(visible)


def _stack_panels(figure: Figure, panels: list[Axes], specs: list[Any]) -> float | None:
    """Stack panels in one column; return the factor on the number of rows."""
    grid = specs[0].get_gridspec() if specs else None
    if grid is None or grid.ncols == 1:
        return None
    visible = [ax.get_visible() for ax in panels]  # hidden panels take no space
    places = [(spec.rowspan.start, spec.colspan.start) for spec in specs]
    order = sorted(
        {place for place, is_visible in zip(places, visible, strict=True) if is_visible}
    )  # axes that share a cell stay together
    shares = grid.get_height_ratios()
    below = GridSpec(len(order), 1, figure=figure, height_ratios=[shares[row] for row, _ in order])
    for ax, place in zip(panels, places, strict=True):
        ax.set_subplotspec(below[order.index(place) if place in order else 0])
        ax.tick_params(labelbottom=True)
        if ax.yaxis.get_ticks_position() != "right":
            ax.tick_params(labelleft=True)
    return len(order) / grid.nrows
