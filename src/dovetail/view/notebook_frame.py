"""View of a run in a notebook cell: a local page in a frame."""

from __future__ import annotations

import threading
from typing import Any

from dovetail.scene.build import available_scenes
from dovetail.view.browser import RunPage

TALL = 560  # [px] height of the frame


class RunFrame:
    """Page served by a thread until it is closed, displayed as a frame in a notebook."""

    def __init__(self, run: Any, port: int = 0):
        self.page = RunPage(available_scenes(run), port=port)
        self.address = f"http://127.0.0.1:{self.page.port}"
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        while not self._closed.is_set():
            self.page.serve(0.5)

    def close(self) -> None:
        """Stop the thread and the server."""
        self._closed.set()
        self._thread.join()
        self.page.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.address}" width="100%" height="{TALL}" style="border:0" title="view"></iframe>'

    def __str__(self) -> str:
        return f"open {self.address}"
