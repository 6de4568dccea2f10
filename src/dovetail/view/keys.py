"""Keys of a page: the space bar plays and holds, the arrows go a hundredth of the run back and on.

The page's own camera turns with the arrows as well (viser has no switch for that): whoever presses one gets the view
back that was there before, until a moment after the key is let go.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dovetail.view.browser import RunPage

HELD = 0.7  # [s] that a view is held after an arrow: a key that stays down repeats sooner than that
MOVED = 1e-4  # of the distance to what is looked at: what is less is the same view


class Keys:
    """What keys do on one page."""

    def __init__(self, page: RunPage):
        self.page = page
        self.views: dict[
            int, tuple[Any, np.ndarray, float]
        ] = {}  # who, from where to what is looked at, until when
        acts: dict[str, tuple[str, Callable[[Any], None]]] = {
            "Play or hold": ("space", lambda _: page.press("hold" if page.player.playing else "play")),
            "Back": ("arrowleft", lambda event: self._step(event, -1)),
            "On": ("arrowright", lambda event: self._step(event, 1)),
        }
        for label, (key, act) in acts.items():
            page.server.gui.add_command(label, hotkey=key).on_trigger(act)

    def _step(self, event: Any, sign: int) -> None:
        player = self.page.player
        player.seek(player.position + sign * (player.last - player.first) / 100)
        client = event.client
        if client is None:
            return
        _, away, until = self.views.get(client.client_id, (client, np.zeros(3), 0.0))
        if time.monotonic() > until:
            away = np.array(client.camera.position) - client.camera.look_at
        self.views[client.client_id] = client, away, time.monotonic() + HELD

    def tend(self) -> None:
        """Give those who pressed an arrow their view back; called by the thread that draws."""
        for key, (client, away, until) in list(self.views.items()):
            target = np.array(client.camera.look_at)
            if np.linalg.norm(client.camera.position - target - away) > MOVED * np.linalg.norm(away):
                client.camera.position, client.camera.look_at = target + away, target
            if time.monotonic() > until:
                self.views.pop(key, None)
