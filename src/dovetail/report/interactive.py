"""A run to be played in its own page: the stage in 3-D, plots with one cursor, all of it in the file.

One script of ours is in the page, let in by its hash and nothing else; what it draws is numbers in JSON, with arrays in
base64. Traces are least and greatest values of short stretches, so that a zoom finds every peak; poses are those of so
many moments that the page stays small.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.report.page import Page
from dovetail.scene.build import stage_of
from dovetail.scene.cameras import NAMES, camera
from dovetail.scene.polylines import BACKGROUNDS, DOT, LEAST, links, quaternion, rgb, segments
from dovetail.scene.scene import OPENING, Arrow, Plot, Stage, upward
from dovetail.scene.shapes import Triangles, ellipsoid, lathe, link
from dovetail.scene.signal_plots import curves
from dovetail.view.charts import COLOURS

FRAMES = 600  # moments at most
ROOM = 2_500_000  # bytes for what moves: moments are left out until it fits
POINTS = 6000  # of a trace
PIECES = 80  # of a line, at a moment
ASPECT = 16 / 9  # of the picture


def playable(page: Page, run: Any, ideal: Any = None) -> Page:
    """The page with the run to be played in it; as it was where nothing of the run has a place in space."""
    try:
        stage = stage_of(run, ideal)
    except (DovetailError, AttributeError, KeyError, IndexError, ValueError):
        return page
    return dataclasses.replace(
        page, playback=json.dumps(told(stage, curves(run.data, POINTS)), allow_nan=False)
    )


@cache
def script() -> str:
    """The script of such a page."""
    return resources.files("dovetail.report").joinpath("interactive.js").read_text("utf-8")


def policy() -> str:
    """What lets that script in, and no other."""
    digest = hashlib.sha256(script().encode("utf-8")).digest()
    return f"script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'"


def told(stage: Stage, plots: list[Plot]) -> dict[str, Any]:
    """A stage and its plots as numbers and words."""
    chosen = moments(stage)
    above, below = BACKGROUNDS[stage.setting]
    views = {}
    for name in NAMES:
        here = camera(stage, name, ASPECT, OPENING)(0)
        along = name in ("follow", "close-up") and stage.focus is not None
        views[name] = {
            "eye": np.asarray(here.eye).tolist(),
            "target": np.asarray(here.target).tolist(),
            "along": along,
        }
    focus = stage.focus
    return {
        "times": array(stage.times[chosen], np.float64),
        "notes": [stage.notes(int(k)) for k in chosen],
        "events": [[float(t), text] for t, text in stage.events],
        "up": upward(stage.up).tolist(),
        "opening": OPENING,
        "behind": [list(above), list(below)],
        "views": views,
        "focus": None if focus is None else track(lambda k: focus(k), chosen),
        "link": mesh(link()),
        "head": mesh(lathe([(0.0, 0.0), (0.0, 0.5), (1.0, 0.0)], 16)),
        "dot": mesh(ellipsoid(3 * (DOT,), 10)),
        "least": LEAST,
        "marks": [[text, [float(v) for v in place]] for text, place in stage.marks],
        "solids": [_solid(solid, chosen) for solid in stage.solids],
        "tubes": [
            {
                "colour": rgb(tube.colour),
                "each": [track(_part(tube, i), chosen) for i in range(3)],
            }
            for tube in stage.tubes
        ],
        "lines": [
            {"colour": rgb(line.colour, line.ghost), "points": track(_pieces(line), chosen)}
            for line in stage.lines
        ],
        "arrows": [_arrow(arrow, chosen) for arrow in stage.arrows],
        "plots": [
            {
                "title": plot.title,
                "names": [_spoken(name) for name in plot.names],
                "colours": [COLOURS[i % len(COLOURS)] for i in range(len(plot.names))],
                "x": array(plot.x, np.float64),
                "ys": [array(y) for y in plot.ys],
            }
            for plot in plots
            if not plot.dots
        ],
    }


def _spoken(name: str) -> str:
    """A signal as it is read; which of its axes is shown stands over the plot."""
    return re.sub(r"(?<=[a-z])_\d+$", "", name).replace("_", " ")


def moments(stage: Stage) -> np.ndarray:
    """Numbers of the samples that are shown, evenly in time: as many as there is room for."""
    floats = sum(8 for solid in stage.solids) + sum(10 * len(segments(t.points(0))) for t in stage.tubes)
    floats += sum(6 * PIECES for _ in stage.lines) + 6 * len(stage.arrows) + 3
    count = int(np.clip(ROOM // (4 * floats), 2, FRAMES))
    return np.unique(
        np.searchsorted(stage.times, np.linspace(stage.times[0], stage.times[-1], count)).clip(
            0, len(stage.times) - 1
        )
    )


def array(values: Any, kind: Any = np.float32) -> dict[str, str]:
    """Numbers as the page reads them; what is not finite is told as the last that was, or zero."""
    flat = np.asarray(values, float).ravel()
    if not np.all(np.isfinite(flat)):
        last = np.maximum.accumulate(np.where(np.isfinite(flat), np.arange(len(flat)), -1))
        flat = np.where(last < 0, 0.0, flat[last])
    raw = np.ascontiguousarray(flat, kind).tobytes()
    return {"kind": np.dtype(kind).name, "data": base64.b64encode(raw).decode("ascii")}


def track(of: Callable[[int], Any], chosen: np.ndarray) -> dict[str, Any]:
    """What something is at every moment: one row if it is always the same."""
    rows = np.stack([np.asarray(of(int(k)), float).ravel() for k in chosen])
    if np.all(rows == rows[0]):
        rows = rows[:1]
    return {"rows": len(rows), "wide": rows.shape[1], **array(rows)}


def mesh(triangles: Triangles) -> dict[str, Any]:
    """A body's corners and triangles."""
    return {"corners": array(triangles.vertices), "faces": array(triangles.faces, np.uint32)}


def _solid(solid: Any, chosen: np.ndarray) -> dict[str, Any]:
    def pose(k: int) -> np.ndarray:
        R, p = solid.pose(k)
        return np.concatenate([quaternion(R), p, [1.0 if solid.stretch is None else solid.stretch(k)]])

    return {
        "name": solid.name,
        "mesh": mesh(solid.mesh),
        "colour": rgb(solid.colour),
        "opacity": solid.opacity,
        "pose": track(pose, chosen),
    }


def _arrow(arrow: Arrow, chosen: np.ndarray) -> dict[str, Any]:
    return {
        "colour": rgb(arrow.colour),
        "length": arrow.length,
        "at": track(arrow.at, chosen),
        "vector": track(arrow.vector, chosen),
        "words": [arrow.words(int(k)) for k in chosen],
        "contact": None if arrow.contact is None else track(arrow.contact, chosen),
    }


def _part(tube: Any, i: int) -> Callable[[int], np.ndarray]:
    return lambda k: links(tube.points(k), tube.radius)[i]


def _pieces(line: Any) -> Callable[[int], np.ndarray]:
    """So many pieces at every moment, whatever the line has then."""

    def at(k: int) -> np.ndarray:
        pieces = segments(line.points(k))
        if np.asarray(line.points(k)).ndim == 3:  # pieces that do not hang together
            return pieces[:PIECES] if len(pieces) >= PIECES else np.resize(pieces, (PIECES, 2, 3))
        points = np.concatenate([pieces[:1, 0], pieces[:, 1]])
        shown = np.linspace(0, len(points) - 1, PIECES + 1)
        few = np.stack([np.interp(shown, np.arange(len(points)), column) for column in points.T], axis=1)
        return segments(few)

    return at
