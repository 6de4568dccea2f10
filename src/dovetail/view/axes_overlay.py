"""Axes and scale bar in the lower left corner of a page.

Each client has its own overlay for its own camera: an image in the style of the page, sent again when it changes.
"""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import numpy as np

from dovetail.core.si_prefix import si_prefix
from dovetail.scene.cameras import FREE
from dovetail.scene.labels import AXES, round_below
from dovetail.scene.raster import Camera
from dovetail.scene.scene import Scene

MAX_RATE = 5.0  # [Hz] largest update rate
WIDE, TALL = 192, 80  # [px]
LONG, BAR = 26.0, 84.0  # [px] length of an axis, and largest length of the bar
PLACE = (  # over the image, above the panel of a phone, transparent for the mouse
    "position: fixed; left: 10px; bottom: 10px; pointer-events: none; z-index: 1; border-radius: 6px; "
    f"background-color: rgba(255, 255, 255, 0.7); width: {WIDE}px; height: {TALL}px"
)
LOW = f"calc({100 * FREE:g}vh - {TALL + 6}px)"  # on a phone: in the corner above the panel
PHONE = f"@media (max-width: 36em) {{body::after {{top: {LOW}; bottom: auto; left: 6px}}}}"


class AxesOverlay:
    """Overlays of all clients of one server."""

    def __init__(self, server: Any):
        self.server = server
        self.handles: dict[int, Any] = {}
        self.drawn: dict[int, tuple[str, float]] = {}  # content, and wall-clock time [s] of its update

    def update(self, scene: Scene) -> None:
        """Update the overlay of each client; called by the drawing thread."""
        clients = self.server.get_clients()
        for closed in set(self.handles) - set(clients):
            del self.handles[closed], self.drawn[closed]
        for name, client in clients.items():
            last, since = self.drawn.get(name, ("", -np.inf))
            now = time.monotonic()
            if now - since < 1 / MAX_RATE:
                continue
            content = overlay_css(camera_of(client.camera), int(client.camera.image_height), scene.enlarged)
            if content == last:
                continue
            if name in self.handles:
                self.handles[name].content = content
            else:
                self.handles[name] = client.gui.add_html(content)
            self.drawn[name] = content, now

    def remove(self) -> None:
        """Remove all overlays."""
        for handle in self.handles.values():
            handle.remove()
        self.handles.clear()
        self.drawn.clear()


def camera_of(camera: Any) -> Camera:
    """Return the camera of a viser client."""
    return Camera(
        np.array(camera.position),
        np.array(camera.look_at),
        np.array(camera.up_direction),
        float(np.degrees(camera.fov)),
    )


def overlay_css(camera: Camera, tall: int, enlarged: float = 1.0) -> str:
    """Return the style with the overlay, for an image `tall` [px]."""
    image = f'url("data:image/svg+xml,{quote(svg(camera, tall, enlarged))}")'
    return f"<style>body::after {{content: {image}; {PLACE}}} {PHONE}</style>"


def svg(camera: Camera, tall: int, enlarged: float = 1.0) -> str:
    """Return axes and scale bar as SVG; rounded numbers, so that it does not change for a fixed camera."""
    x, y = 40.0, 40.0
    directions = camera.axes.T  # components of each axis: right, down, ahead
    parts = []
    for i in np.argsort(-directions[:, 2]):  # farthest first
        right, down, _ = LONG * directions[i]
        colour = "rgb({},{},{})".format(*AXES[i])
        parts.append(
            f'<path d="M{x} {y}l{right:.0f} {down:.0f}" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 1.35 * right:.0f}" y="{y + 1.35 * down + 4:.0f}" fill="{colour}" '
            f'text-anchor="middle" font-weight="bold">{"xyz"[i]}</text>'
        )
    distance = float(np.linalg.norm(np.subtract(camera.target, camera.eye)))
    pixels = camera.focal(tall) / distance * enlarged  # [px/m]
    length = round_below(BAR / pixels)
    factor, unit = si_prefix([length], "m")
    start, end = 86.0, 86.0 + pixels * length
    text = f"{factor * length:.3g} {unit}" + (" of motion" if enlarged != 1.0 else "")
    parts.append(
        f'<path d="M{start:.0f} 52v10m0-5H{end:.0f}m0-5v10" stroke="#20252b" stroke-width="2" fill="none"/>'
        f'<text x="{start:.0f}" y="42" fill="#20252b">{text}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{TALL}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )
