"""The operator's panel of a test that runs: hold, resume, stop, the dials the test allows, and what was pressed.

A press leaves a wish in the run's folder and nothing else; the run itself fulfils it, notes who pressed and when, with
the old and the new value, and the panel shows what the run noted.
"""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.testing import operator
from dovetail.testing.operator import Dial
from dovetail.view.viser_scene import plain

SHOWN = 6  # newest presses


class Panel:
    """Buttons and dials on the page of a run that goes on in `folder`."""

    def __init__(self, gui: Any, folder: Path, dials: Mapping[str, Dial], values: Mapping[str, float]):
        self.folder = folder
        self.buttons = {what: gui.add_button(what.capitalize()) for what in ("hold", "resume", "stop")}
        for what, button in self.buttons.items():
            button.on_click(self._presser(what))
        self.dials: dict[str, Any] = {}
        for path, dial in dials.items():
            least, most = float(dial.least), float(dial.most)
            self.dials[path] = gui.add_slider(
                path, min=least, max=most, step=(most - least) / 1000, initial_value=values[path]
            )
            self.dials[path].on_update(self._turner(path))
        self.log = gui.add_markdown("")

    def update(self) -> None:
        """Show what the run has noted."""
        noted = operator.presses(self.folder)
        text = "\n\n".join(plain(str(press)) for press in reversed(noted[-SHOWN:]))
        if text and text != self.log.content:
            self.log.content = text

    def close(self) -> None:
        """The run is over: nothing is to be pressed any more."""
        for handle in (*self.buttons.values(), *self.dials.values()):
            handle.disabled = True

    def _presser(self, what: str):
        return lambda event: self._wish(event, what)

    def _turner(self, path: str):
        def turn(event: Any) -> None:
            if event.client is not None:  # else it is our own doing
                self._wish(event, "turn", path, float(self.dials[path].value))

        return turn

    def _wish(self, event: Any, what: str, path: str = "", value: float | None = None) -> None:
        who = f"{getpass.getuser()} in the view, window {event.client_id}"
        with contextlib.suppress(OSError):  # the run is over, and its folder of wishes gone
            operator.wish(self.folder, what, who, path, value)
