"""The view of a run in a notebook's cell: a page on this machine, shown in a frame."""

from __future__ import annotations

import threading
from typing import Any

from dovetail.scene.build import pictures_of
from dovetail.view.browser import RunPage

TALL = 560  # [px] of the frame


class RunFrame:
    """A page that plays in a thread of its own until it is closed; it shows itself in a notebook."""

    def __init__(self, run: Any, port: int = 0):
        self.page = RunPage(pictures_of(run), port=port)
        self.address = f"http://127.0.0.1:{self.page.port}"
        self._over = threading.Event()
        self._player = threading.Thread(target=self._play, daemon=True)
        self._player.start()

    def _play(self) -> None:
        while not self._over.is_set():
            self.page.serve(0.5)

    def close(self) -> None:
        """Stop playing and shut the page."""
        self._over.set()
        self._player.join()
        self.page.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="{TALL}" style="border:0" title="view"></iframe>'

    def __str__(self) -> str:
        return f"open {self.address}"
