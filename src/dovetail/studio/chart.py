"""Curves, roots and maps drawn on a canvas in the browser, told as plain pictures.

A picture is a dictionary: `lines` (each `y` with `x`; `colour`, a variable of the style; `name`; `dash`), `points`,
`marks` (a line across at `x` or `y`), `cells` (values on a grid, below zero is good), `here` (a point to be dragged),
`x` and `y` (ranges; else found), `note`, `number` (which the page shows as `data-number` once it is drawn).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element

DIGITS = 5  # of a number on its way to the browser: finer than a pixel


class MovingPlot(Element, component="chart.js"):
    """A canvas with axes; `show` draws another picture in it."""

    def __init__(self, label: str, xname: str = "", yname: str = "", height: int = 220, drag: bool = False):
        super().__init__()
        self._props.update(label=label, xname=xname, yname=yname, height=height, drag=drag)
        self.picture: dict[str, Any] = {}

    def show(self, picture: Mapping[str, Any]) -> None:
        """Draw a picture."""
        self.picture = dict(picture)
        self.run_method("show", self.picture)

    def patch(self, **part: Any) -> None:
        """Change a part of the picture that is shown."""
        self.picture |= part
        self.run_method("patch", part)


def line(x: Any, y: Any, colour: str, name: str = "", **style: Any) -> dict[str, Any]:
    """A curve through points; where y is not finite it is interrupted."""
    return {"x": short(x), "y": short(y), "colour": colour, "name": name, **style}


def short(values: Sequence[float] | np.ndarray) -> list[float | None]:
    """Numbers as short as a picture needs them; None for what is not finite."""
    array = np.asarray(values, dtype=float).ravel()
    if not array.size:
        return []
    good = np.isfinite(array)
    largest = float(np.max(np.abs(array[good]), initial=0.0))
    places = DIGITS - int(np.ceil(np.log10(largest))) if largest > 0 else DIGITS
    rounded = np.round(np.where(good, array, 0.0), min(places, 300)).tolist()
    return [value if fine else None for value, fine in zip(rounded, good.tolist(), strict=True)]
