"""Keys of a page: the space bar plays and pauses, the arrow keys step back and forward by 1 % of the run.

The camera of viser also turns with the arrow keys and this cannot be switched off. Therefore the view is restored until
shortly after the key is released.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dovetail.view.browser import RunPage

HOLD_TIME = 0.7  # [s] time that a view is restored after an arrow key, longer than the key repeat
SAME_VIEW = 1e-4  # fraction of the distance to the target; a smaller change is the same view


class Keys:
    """Key commands of one page."""

    def __init__(self, page: RunPage):
        self.page = page
        self.views: dict[int, tuple[Any, np.ndarray, float]] = {}  # client, eye - target, end time
        commands: dict[str, tuple[str, Callable[[Any], None]]] = {
            "Play/pause": ("space", lambda _: page.press("pause" if page.playback.playing else "play")),
            "Back 1 %": ("arrowleft", lambda event: self._step(event, -1)),
            "Forward 1 %": ("arrowright", lambda event: self._step(event, 1)),
        }
        for label, (key, act) in commands.items():
            page.server.gui.add_command(label, hotkey=key).on_trigger(act)

    def _step(self, event: Any, sign: int) -> None:
        playback = self.page.playback
        playback.seek(playback.position + sign * (playback.last - playback.first) / 100)
        client = event.client
        if client is None:
            return
        _, offset, until = self.views.get(client.client_id, (client, np.zeros(3), 0.0))
        if time.monotonic() > until:
            offset = np.array(client.camera.position) - client.camera.look_at
        self.views[client.client_id] = client, offset, time.monotonic() + HOLD_TIME

    def restore_views(self) -> None:
        """Restore the views after arrow keys; called by the drawing thread."""
        for key, (client, offset, until) in list(self.views.items()):
            target = np.array(client.camera.look_at)
            if np.linalg.norm(client.camera.position - target - offset) > SAME_VIEW * np.linalg.norm(offset):
                client.camera.position, client.camera.look_at = target + offset, target
            if time.monotonic() > until:
                self.views.pop(key, None)
