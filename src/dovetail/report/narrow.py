"""A figure on a phone: as wide as its screen, panels below instead of beside each other, and names of a legend too.

Letters keep their size, so a figure that is only made smaller could not be read, and one that is wider than the screen
has to be pushed aside. So it is laid out once more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.text import Text

from dovetail.report.style import beside, styled

NARROW = 4.5  # [in] of a figure: on a screen of 420 px its letters of 10 pt are 11 px tall
LETTERS = 10.0  # [pt] of those; a figure with smaller ones is narrower still
APART = 6.0  # [px] between words in a row
ASIDE = 0.8  # [in] that numbers and words to the left of a panel take
STACKED = 0.8  # of its height that a panel keeps which stands alone in its row


@contextlib.contextmanager
def narrowed(figure: Figure) -> Iterator[None]:
    """The figure laid out for a phone, for as long as the block lasts."""
    wide, tall = figure.get_size_inches()
    panels = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    specs: list[Any] = [ax.get_subplotspec() for ax in panels]
    labelled = [_labelled(ax) for ax in panels]
    with styled():
        figure.set_layout_engine("constrained")
        rows = _stacked(figure, panels, specs)
        width = NARROW * min(1.0, _smallest(figure) / LETTERS)
        above = [*figure.legends, *_standing(panels, lambda x, y: y > 0.99 > x)]
        legends = [(legend, _below(figure, legend, width)) for legend in above]
        more = sum(_tall(new) - _tall(old) for old, new in legends)
        aside = [(legend, _over(legend, width)) for legend in _standing(panels, lambda x, y: x > 0.99)]
        more += sum(_tall(new) for _, new in aside)
        legends += aside
        figure.set_size_inches(width, tall * (1.0 if rows is None else STACKED * rows) + more)
        crowded = _crowded(figure, panels)
        for text in crowded:
            text.set_visible(False)
    try:
        yield
    finally:
        with styled():
            figure.set_layout_engine("constrained")
            figure.set_size_inches(wide, tall)
            for ax, spec, labels in zip(panels, specs, labelled, strict=True):
                ax.set_subplotspec(spec)
                ax.tick_params(**labels)
            for legend, taller in legends:
                taller.remove()
                _shown(legend, True)
            for text in crowded:
                text.set_visible(True)


def _labelled(ax: Axes) -> dict[str, Any]:
    """Whether the numbers below a panel and to its left are written."""
    below, left = ax.xaxis.get_tick_params(), ax.yaxis.get_tick_params()
    return {"labelbottom": below.get("labelbottom", True), "labelleft": left.get("labelleft", True)}


def _smallest(figure: Figure) -> float:
    """The size [pt] of the smallest letters that are written."""
    texts = [found for found in figure.findobj(Text) if isinstance(found, Text)]
    sizes = [float(text.get_fontsize()) for text in texts if text.get_text() and text.get_visible()]
    return min(sizes, default=LETTERS)


def _below(figure: Figure, legend: Legend, width: float) -> Legend:
    """A legend in place of another, with as many names beside each other as have room."""
    handles, names = _entries(legend)
    _shown(legend, False)
    return figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=beside(names, width),
        borderaxespad=0,
        handlelength=1.6,
    )


def _standing(panels: list[Axes], where: Callable[[float, float], bool]) -> list[Legend]:
    """Legends of panels that are anchored at such a place beside them, counted in their width and height."""
    found = [legend for ax in panels if (legend := ax.get_legend()) is not None]
    places = [
        legend.get_bbox_to_anchor().transformed(legend.axes.transAxes.inverted())
        for legend in found
        if legend.axes is not None
    ]
    return [legend for legend, place in zip(found, places, strict=True) if where(place.x0, place.y0)]


def _over(legend: Legend, width: float) -> Legend:
    """The legend above its panel, over whose words it stands, in place of one that took the panel's room beside it."""
    handles, names = _entries(legend)
    _shown(legend, False)
    panel = legend.axes
    assert panel is not None
    place = (0.0, 1.14 if any(text.get_visible() for text in panel.texts) else 1.0)
    over = Legend(
        panel,
        handles,
        names,
        loc="lower left",
        bbox_to_anchor=place,
        bbox_transform=panel.transAxes,
        ncols=beside(names, width - ASIDE),
        handlelength=1.6,
        borderaxespad=0.2,
    )
    panel.add_artist(over)
    over.set_clip_on(False)  # else it would count as part of the panel's inside, and be given no room
    return over


def _tall(legend: Legend) -> float:
    """Height [in] of a legend."""
    figure = legend.get_figure(root=True)
    return 0.0 if figure is None else float(legend.get_window_extent().height / figure.dpi)


def _entries(legend: Legend) -> tuple[list[Artist], list[str]]:
    """Signs and names of a legend."""
    handles = [handle for handle in legend.legend_handles if handle is not None]
    return handles, [text.get_text() for text in legend.get_texts()]


def _crowded(figure: Figure, panels: list[Axes]) -> list[Text]:
    """Words in a row over a panel that would hide the ones before them."""
    rows = [[t for t in ax.texts if t.get_visible()] for ax in panels]
    if not any(len(row) > 2 for row in rows):
        return []
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    found = []
    for row in rows:
        ends: dict[float, float] = {}  # of the words at each height [px]
        for text in sorted(row, key=lambda t: t.get_window_extent().x0):
            box = text.get_window_extent()
            if box.x0 < ends.get(round(box.y0), -APART) + APART:
                found.append(text)
            else:
                ends[round(box.y0)] = box.x1
    return found


def _shown(legend: Legend, shown: bool) -> None:
    legend.set_visible(shown)
    legend.set_in_layout(shown)


def _stacked(figure: Figure, panels: list[Axes], specs: list[Any]) -> float | None:
    """Put panels that are beside each other one below another; how many times as many rows there are then."""
    grid = specs[0].get_gridspec() if specs else None
    if grid is None or grid.ncols == 1:
        return None
    seen = [i for i, ax in enumerate(panels) if ax.get_visible()]  # what is hidden takes no room
    order = sorted(seen, key=lambda i: (specs[i].rowspan.start, specs[i].colspan.start))
    shares = grid.get_height_ratios()
    below = GridSpec(
        len(order),
        1,
        figure=figure,
        height_ratios=[shares[specs[i].rowspan.start] for i in order],
    )
    for row, i in enumerate(order):
        panels[i].set_subplotspec(below[row])
        panels[i].tick_params(labelleft=True, labelbottom=True)
    for i in set(range(len(panels))) - set(seen):
        panels[i].set_subplotspec(below[0])
    return len(order) / grid.nrows
