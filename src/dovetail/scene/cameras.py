"""Cameras of a scene: overview, follow, close-up, side.

The view and the videos use the same cameras. A camera is a function of the sample, so it can follow a body. On a phone
the panel covers the lower part of the image; the target is then in the part above the panel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dovetail.core.errors import UnknownNameError
from dovetail.scene.raster import Camera
from dovetail.scene.scene import FILLED, OPENING, Scene, fit_camera, outline, up_vector

NAMES = ("overview", "follow", "close-up", "side")
NARROW = 36.0  # [deg] vertical field of view of an image
FULL = 0.8  # fraction of the view that the subject fills
UPRIGHT = 0.8  # width / height of a screen; below it the phone layout is used
FREE = 0.4  # fraction of the screen height above the panel of a phone
ALONG = 2.0  # width of the view of the following camera, relative to the object


def camera(
    scene: Scene, name: str, aspect: float, opening: float = NARROW, filled: float = FULL
) -> Callable[[int], Camera]:
    """Return a camera by name, as a function of the sample index.

    Raises
    ------
    UnknownNameError
        If there is no camera with this name.
    """
    if name not in NAMES:
        raise UnknownNameError("camera", name, NAMES)
    up = up_vector(scene.up)
    eye, target = np.asarray(scene.eye, float), np.asarray(scene.target, float)
    if name == "side":
        way = np.eye(3)[next(i for i in (1, 2) if abs(up[i]) < 0.5)]
        way = way * (1.0 if way @ (target - eye) >= 0 else -1.0) - 0.06 * up
        here = Camera(*fit_camera(outline(scene), way, up, opening, aspect, filled), up, opening)
        return lambda k: here
    subject = outline(scene) if scene.subject is None else scene.subject
    if name == "overview" or scene.focus is None:
        overview = Camera(*fit_camera(subject, target - eye, up, opening, aspect, filled), up, opening)
        return lambda k: overview
    half = 0.5 * (scene.nearby or 0.3 * float(np.linalg.norm(np.ptp(subject, axis=0))))
    half *= ALONG if name == "follow" else 1.0
    right, down, _ = Camera(eye, target, up, opening).axes
    disc = half * np.stack([right, -right, down, -down])  # outline of a sphere around the focus
    away, _ = fit_camera(disc, target - eye, up, opening, aspect, filled)
    focus = scene.focus
    return lambda k: Camera(focus(k) + away, focus(k), up, opening)


def on_screen(scene: Scene, name: str, aspect: float) -> Callable[[int], Camera]:
    """Return a camera by name for a screen with width / height `aspect`."""
    if aspect > UPRIGHT:
        return camera(scene, name, aspect, OPENING, FILLED)
    half = float(np.tan(np.radians(OPENING / 2)))
    opening = 2 * float(np.degrees(np.arctan(FREE * half)))
    free = camera(
        scene, name, aspect / FREE, opening, 0.9 * FILLED
    )  # a smaller fill, because the tilted camera sees the target larger

    def lowered(k: int) -> Camera:
        here = free(k)
        by = (1 - FREE) * half * float(np.linalg.norm(here.target - here.eye)) * here.axes[1]
        return Camera(
            here.eye, here.target + by, here.up, OPENING
        )  # look lower, so that the target is above the panel

    return lowered


def usual(scene: Scene, aspect: float) -> Camera:
    """Return the default camera of a scene for an image: farther away and narrower than in the browser."""
    if scene.subject is None:
        return Camera(
            np.asarray(scene.eye, float), np.asarray(scene.target, float), up_vector(scene.up), OPENING
        )
    return camera(scene, "overview", aspect)(0)
