"""Numbers of drawings that tests compare with recorded ones, so that a change of a shape or a curve is noticed.

Each drawn object has one column: how many numbers it has, their sum with changing weights, and the sum of their sizes.
`pytest --force-regen FILE` records them anew after an intended change; look at the drawing first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import matplotlib.colors
import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

TOLERANCE = {"rtol": 1e-5, "atol": 1e-7}


def digest(values: Iterable) -> np.ndarray:
    """Return the three numbers of an object."""
    flat = np.concatenate([np.ravel(np.asarray(value, float)) for value in values] or [np.zeros(0)])
    finite = np.where(np.isfinite(flat), flat, 0.125)
    return np.array([len(flat), finite @ np.cos(0.7 * np.arange(len(flat))), np.abs(finite).sum()])


def scene_columns(scene) -> dict[str, np.ndarray]:
    """Return the columns of a scene: each body, line, arrow and plot, at the first, middle and last sample."""
    samples = np.unique(np.linspace(0, len(scene.times) - 1, 3).astype(int))
    columns = {
        "scene": digest(_numbers(dataclasses.replace(scene, plots=(), notes=""), samples, drawn=False))
    }
    for kind in ("solids", "tubes", "surfaces", "lines", "arrows", "plots"):
        for number, each in enumerate(getattr(scene, kind)):
            name = getattr(each, "name", "")
            columns[f"{kind} {number} {name}".strip()] = digest(_numbers(each, samples))
    return columns


def _numbers(value, samples, drawn=True):
    """Yield all numbers in an object; functions of a sample are evaluated at the samples."""
    if isinstance(value, str):
        if matplotlib.colors.is_color_like(value):
            yield matplotlib.colors.to_rgba(value)
    elif isinstance(value, Mapping):
        yield len(value)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if drawn or field.name not in ("solids", "tubes", "surfaces", "lines", "arrows"):
                yield from _numbers(getattr(value, field.name), samples)
    elif callable(value):
        for k in samples:
            yield from _numbers(value(int(k)), samples)
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _numbers(each, samples)
    elif value is not None:
        yield value


def figure_columns(figure) -> dict[str, np.ndarray]:
    """Return the columns of a figure: each of its axes with limits, curves, areas, symbols and places of texts."""
    figure.canvas.draw()
    columns = {"figure": digest([figure.get_size_inches(), *_places(figure.texts)])}
    for number, axes in enumerate(figure.axes):
        columns[f"axes {number}"] = digest([axes.get_xlim(), axes.get_ylim(), *_places(axes.texts)])
        for kind in (Line2D, Patch, Collection):
            drawn = [artist for artist in axes.get_children() if isinstance(artist, kind)]
            columns[f"axes {number} {kind.__name__}"] = digest(
                part for artist in drawn for part in _shape(artist)
            )
    return columns


def _places(texts: Iterable[Text]):
    return [(*text.get_position(), text.get_rotation(), text.get_fontsize()) for text in texts]


def _shape(artist: Artist):
    if isinstance(artist, Line2D):
        yield np.asarray(artist.get_xydata(), float)
        yield artist.get_linewidth()
        yield matplotlib.colors.to_rgba(artist.get_color())
    elif isinstance(artist, Patch):
        yield artist.get_path().vertices
        yield artist.get_facecolor()
    elif isinstance(artist, Collection):
        yield np.ma.filled(artist.get_offsets(), 0.0)
        yield from (path.vertices for path in artist.get_paths())
        yield artist.get_facecolor()
