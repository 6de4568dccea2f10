"""3-D playback of a run in its report, with zoomable plots and a common cursor, in one file.

The page contains one script, allowed by its hash. Its data are JSON with arrays in base64. Plots keep minimum and
maximum of short intervals, so zooming shows every peak; the number of poses is limited by the file size.
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
from dovetail.scene.build import build_scene
from dovetail.scene.cameras import NAMES, camera
from dovetail.scene.polylines import BACKGROUNDS, DOT, LEAST, links, quaternion, rgb, segments
from dovetail.scene.scene import OPENING, Arrow, Plot, Scene, up_vector
from dovetail.scene.shapes import Triangles, ellipsoid, lathe, tube_piece
from dovetail.scene.signal_plots import COLOURS, curves

FRAMES = 600  # largest number of frames
ROOM = 2_500_000  # [bytes] for moving objects; limits the number of frames
POINTS = 6000  # points of a signal
PIECES = 80  # segments of a line in a frame
ASPECT = 16 / 9  # width / height of the 3-D view


def playable(page: Page, run: Any, reference: Any = None) -> Page:
    """Return the page with 3-D playback; unchanged if the run has no 3-D scene."""
    try:
        scene = build_scene(run, reference)
    except (DovetailError, AttributeError, KeyError, IndexError, ValueError):
        return page
    return dataclasses.replace(
        page, playback=json.dumps(scene_json(scene, curves(run.recording, POINTS)), allow_nan=False)
    )


@cache
def script() -> str:
    """Return the playback script."""
    return resources.files("dovetail.report").joinpath("interactive.js").read_text("utf-8")


def policy() -> str:
    """Return the content security policy that allows only the playback script."""
    digest = hashlib.sha256(script().encode("utf-8")).digest()
    return f"script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'"


def scene_json(scene: Scene, plots: list[Plot]) -> dict[str, Any]:
    """Return a scene and its plots as JSON data."""
    chosen = moments(scene)
    above, below = BACKGROUNDS[scene.setting]
    views = {}
    for name in NAMES:
        here = camera(scene, name, ASPECT, OPENING)(0)
        along = name in ("follow", "close-up") and scene.focus is not None
        views[name] = {
            "eye": np.asarray(here.eye).tolist(),
            "target": np.asarray(here.target).tolist(),
            "along": along,
        }
    focus = scene.focus
    return {
        "times": array(scene.times[chosen], np.float64),
        "notes": [scene.notes(int(k)) for k in chosen],
        "events": [[float(t), text] for t, text in scene.events],
        "up": up_vector(scene.up).tolist(),
        "opening": OPENING,
        "behind": [list(above), list(below)],
        "views": views,
        "focus": None if focus is None else track(lambda k: focus(k), chosen),
        "link": mesh(tube_piece()),
        "head": mesh(lathe([(0.0, 0.0), (0.0, 0.5), (1.0, 0.0)], 16)),
        "dot": mesh(ellipsoid(3 * (DOT,), 10)),
        "least": LEAST,
        "marks": [[text, [float(v) for v in place]] for text, place in scene.marks],
        "solids": [_solid(solid, chosen) for solid in scene.solids],
        "tubes": [
            {
                "colour": rgb(tube.colour),
                "each": [track(_part(tube, i), chosen) for i in range(3)],
            }
            for tube in scene.tubes
        ],
        "lines": [
            {"colour": rgb(line.colour, line.ghost), "points": track(_pieces(line), chosen)}
            for line in scene.lines
        ],
        "arrows": [_arrow(arrow, chosen) for arrow in scene.arrows],
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
    """Return a signal name for display, without axis number (the plot title names the axis)."""
    return re.sub(r"(?<=[a-z])_\d+$", "", name).replace("_", " ")


def moments(scene: Scene) -> np.ndarray:
    """Return the indices of the samples shown, evenly in time, limited by `ROOM`."""
    floats = sum(8 for solid in scene.solids) + sum(10 * len(segments(t.points(0))) for t in scene.tubes)
    floats += sum(6 * PIECES for _ in scene.lines) + 6 * len(scene.arrows) + 3
    count = int(np.clip(ROOM // (4 * floats), 2, FRAMES))
    return np.unique(
        np.searchsorted(scene.times, np.linspace(scene.times[0], scene.times[-1], count)).clip(
            0, len(scene.times) - 1
        )
    )


def array(values: Any, kind: Any = np.float32) -> dict[str, str]:
    """Encode numbers for the page; non-finite values are replaced by the last finite value, or zero."""
    flat = np.asarray(values, float).ravel()
    if not np.all(np.isfinite(flat)):
        last = np.maximum.accumulate(np.where(np.isfinite(flat), np.arange(len(flat)), -1))
        flat = np.where(last < 0, 0.0, flat[last])
    raw = np.ascontiguousarray(flat, kind).tobytes()
    return {"kind": np.dtype(kind).name, "data": base64.b64encode(raw).decode("ascii")}


def track(of: Callable[[int], Any], chosen: np.ndarray) -> dict[str, Any]:
    """Encode a quantity at all frames; one row if it is constant."""
    rows = np.stack([np.asarray(of(int(k)), float).ravel() for k in chosen])
    if np.all(rows == rows[0]):
        rows = rows[:1]
    return {"rows": len(rows), "wide": rows.shape[1], **array(rows)}


def mesh(triangles: Triangles) -> dict[str, Any]:
    """Encode vertices and triangles of a body."""
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
        "words": [arrow.label_text(int(k)) for k in chosen],
        "contact": None if arrow.contact is None else track(arrow.contact, chosen),
    }


def _part(tube: Any, i: int) -> Callable[[int], np.ndarray]:
    return lambda k: links(tube.points(k), tube.radius)[i]


def _pieces(line: Any) -> Callable[[int], np.ndarray]:
    """Return a function that resamples a line to `PIECES` segments at each sample."""

    def at(k: int) -> np.ndarray:
        pieces = segments(line.points(k))
        if np.asarray(line.points(k)).ndim == 3:  # separate segments
            return pieces[:PIECES] if len(pieces) >= PIECES else np.resize(pieces, (PIECES, 2, 3))
        points = np.concatenate([pieces[:1, 0], pieces[:, 1]])
        positions = np.linspace(0, len(points) - 1, PIECES + 1)
        few = np.stack([np.interp(positions, np.arange(len(points)), column) for column in points.T], axis=1)
        return segments(few)

    return at
