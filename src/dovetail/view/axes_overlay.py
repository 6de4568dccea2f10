"""The lower left corner of a page: which way the axes point, and how long a length is where one looks at.

Everybody may look from elsewhere, so everybody has a corner of their own. It is an image in the page's style, drawn
here from where their camera says it is, and sent again when that is another picture.
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
from dovetail.scene.scene import Stage

OFTEN = 5.0  # a second, at most: who turns the picture does not wait for it
WIDE, TALL = 192, 80  # [px]
LONG, BAR = 26.0, 84.0  # [px] of an axis, and of the bar at most
PLACE = (  # above a phone's sheet, over the picture, out of the way of the mouse
    "position: fixed; left: 10px; bottom: 10px; pointer-events: none; z-index: 1; border-radius: 6px; "
    f"background-color: rgba(255, 255, 255, 0.7); width: {WIDE}px; height: {TALL}px"
)
LOW = f"calc({100 * FREE:g}vh - {TALL + 6}px)"  # on a phone, in the corner of what its sheet leaves
PHONE = f"@media (max-width: 36em) {{body::after {{top: {LOW}; bottom: auto; left: 6px}}}}"


class Corner:
    """The corners of all who look at one server's page."""

    def __init__(self, server: Any):
        self.server = server
        self.handles: dict[int, Any] = {}
        self.drawn: dict[int, tuple[str, float]] = {}  # what is shown, since when by the wall clock [s]

    def tend(self, stage: Stage) -> None:
        """Show everybody where they look from; called by the thread that draws."""
        here = self.server.get_clients()
        for gone in set(self.handles) - set(here):
            del self.handles[gone], self.drawn[gone]
        for name, client in here.items():
            shown, since = self.drawn.get(name, ("", -np.inf))
            now = time.monotonic()
            if now - since < 1 / OFTEN:
                continue
            content = styled(seen_by(client.camera), int(client.camera.image_height), stage.enlarged)
            if content == shown:
                continue
            if name in self.handles:
                self.handles[name].content = content
            else:
                self.handles[name] = client.gui.add_html(content)
            self.drawn[name] = content, now

    def remove(self) -> None:
        """Take all of them off the page."""
        for handle in self.handles.values():
            handle.remove()
        self.handles.clear()
        self.drawn.clear()


def seen_by(camera: Any) -> Camera:
    """A viewer's camera of viser's as one of ours."""
    return Camera(
        np.array(camera.position),
        np.array(camera.look_at),
        np.array(camera.up_direction),
        float(np.degrees(camera.fov)),
    )


def styled(camera: Camera, tall: int, enlarged: float = 1.0) -> str:
    """The page's style that shows the corner, for a picture so tall [px]."""
    image = f'url("data:image/svg+xml,{quote(svg(camera, tall, enlarged))}")'
    return f"<style>body::after {{content: {image}; {PLACE}}} {PHONE}</style>"


def svg(camera: Camera, tall: int, enlarged: float = 1.0) -> str:
    """Axes and bar as a drawing; its numbers are rounded, so that a still picture stays the same."""
    x, y = 40.0, 40.0
    ways = camera.axes.T  # of each axis: to the right, down, ahead
    parts = []
    for i in np.argsort(-ways[:, 2]):  # the farthest first
        right, down, _ = LONG * ways[i]
        colour = "rgb({},{},{})".format(*AXES[i])
        parts.append(
            f'<path d="M{x} {y}l{right:.0f} {down:.0f}" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x + 1.35 * right:.0f}" y="{y + 1.35 * down + 4:.0f}" fill="{colour}" '
            f'text-anchor="middle" font-weight="bold">{"xyz"[i]}</text>'
        )
    far = float(np.linalg.norm(np.subtract(camera.target, camera.eye)))
    pixels = camera.focal(tall) / far * enlarged  # of a metre
    length = round_below(BAR / pixels)
    factor, unit = si_prefix([length], "m")
    begin, end = 86.0, 86.0 + pixels * length
    said = f"{factor * length:.3g} {unit}" + (" of motion" if enlarged != 1.0 else "")
    parts.append(
        f'<path d="M{begin:.0f} 52v10m0-5H{end:.0f}m0-5v10" stroke="#20252b" stroke-width="2" fill="none"/>'
        f'<text x="{begin:.0f}" y="42" fill="#20252b">{said}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{TALL}" '
        f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>'
    )
