"""Where to look from: all of it, with what matters as it goes, close up, or from the side.

The page's buttons and the films know the same four. Each is a function of the sample, so that one may go along. On a
phone the panel is a sheet over the lower part of the picture: what is looked at is put into the part above it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dovetail.core.errors import UnknownNameError
from dovetail.scene.raster import Camera
from dovetail.scene.scene import FILLED, OPENING, Stage, fitted, outline, upward

NAMES = ("overview", "follow", "close-up", "side")
NARROW = 36.0  # [deg] of a picture, from the lower edge to the upper
FULL = 0.8  # of it that what is looked at takes up
UPRIGHT = 0.8  # width over height of a screen: what is less is a phone's
FREE = 0.4  # of its height that the sheet leaves
ALONG = 2.0  # how much more than what matters is seen by a camera that follows it


def camera(
    stage: Stage, name: str, aspect: float, opening: float = NARROW, filled: float = FULL
) -> Callable[[int], Camera]:
    """The camera of that name: from the number of a sample to where it is then.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    """
    if name not in NAMES:
        raise UnknownNameError("camera", name, NAMES)
    up = upward(stage.up)
    eye, target = np.asarray(stage.eye, float), np.asarray(stage.target, float)
    if name == "side":
        way = np.eye(3)[next(i for i in (1, 2) if abs(up[i]) < 0.5)]
        way = way * (1.0 if way @ (target - eye) >= 0 else -1.0) - 0.06 * up
        here = Camera(*fitted(outline(stage), way, up, opening, aspect, filled), up, opening)
        return lambda k: here
    subject = outline(stage) if stage.subject is None else stage.subject
    if name == "overview" or stage.focus is None:
        overview = Camera(*fitted(subject, target - eye, up, opening, aspect, filled), up, opening)
        return lambda k: overview
    half = 0.5 * (stage.nearby or 0.3 * float(np.linalg.norm(np.ptp(subject, axis=0))))
    half *= ALONG if name == "follow" else 1.0
    right, down, _ = Camera(eye, target, up, opening).axes
    disc = half * np.stack([right, -right, down, -down])  # a ball's, as it is seen
    away, _ = fitted(disc, target - eye, up, opening, aspect, filled)
    focus = stage.focus
    return lambda k: Camera(focus(k) + away, focus(k), up, opening)


def on_screen(stage: Stage, name: str, aspect: float) -> Callable[[int], Camera]:
    """The camera of that name on a page whose screen has that width over height."""
    if aspect > UPRIGHT:
        return camera(stage, name, aspect, OPENING, FILLED)
    half = float(np.tan(np.radians(OPENING / 2)))
    opening = 2 * float(np.degrees(np.arctan(FREE * half)))
    free = camera(stage, name, aspect / FREE, opening, 0.9 * FILLED)  # turned from it, the eye sees it larger

    def lowered(k: int) -> Camera:
        here = free(k)
        by = (1 - FREE) * half * float(np.linalg.norm(here.target - here.eye)) * here.axes[1]
        return Camera(here.eye, here.target + by, here.up, OPENING)  # it looks lower and stays over the deck

    return lowered


def usual(stage: Stage, aspect: float) -> Camera:
    """The stage's own look, fitted to a picture: from farther away and less wide than a browser has it."""
    if stage.subject is None:
        return Camera(
            np.asarray(stage.eye, float), np.asarray(stage.target, float), upward(stage.up), OPENING
        )
    return camera(stage, "overview", aspect)(0)
