"""Curves, poles and maps on a browser canvas, described by dictionaries.

A picture is a dictionary with the keys `lines` (each with `x`, `y`, `colour` (a CSS variable), `name`, `dash`),
`points`, `marks` (a line at constant `x` or `y`), `cells` (values on a grid; negative is stable), `here` (a point that
can be dragged), `x` and `y` (ranges; default: from the data), `note` and `number` (shown by the page as `data-number`
once drawn).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from nicegui.element import Element

DIGITS = 5  # significant digits of numbers sent to the browser: finer than a pixel


class MovingPlot(Element, component="chart.js"):
    """Canvas with axes; `show` draws a new picture."""

    def __init__(self, label: str, xname: str = "", yname: str = "", height: int = 220, drag: bool = False):
        super().__init__()
        self._props.update(label=label, xname=xname, yname=yname, height=height, drag=drag)
        self.picture: dict[str, Any] = {}

    def show(self, picture: Mapping[str, Any]) -> None:
        """Draw a picture."""
        self.picture = dict(picture)
        self.run_method("show", self.picture)

    def patch(self, **part: Any) -> None:
        """Change a part of the present picture."""
        self.picture |= part
        self.run_method("patch", part)


def line(x: Any, y: Any, colour: str, name: str = "", **style: Any) -> dict[str, Any]:
    """Return a curve through points, interrupted where y is not finite."""
    return {"x": rounded(x), "y": rounded(y), "colour": colour, "name": name, **style}


def rounded(values: Sequence[float] | np.ndarray) -> list[float | None]:
    """Return rounded numbers for a picture; None for values that are not finite."""
    array = np.asarray(values, dtype=float).ravel()
    if not array.size:
        return []
    good = np.isfinite(array)
    largest = float(np.max(np.abs(array[good]), initial=0.0))
    places = DIGITS - int(np.ceil(np.log10(largest))) if largest > 0 else DIGITS
    numbers = np.round(np.where(good, array, 0.0), min(places, 300)).tolist()
    return [value if fine else None for value, fine in zip(numbers, good.tolist(), strict=True)]
