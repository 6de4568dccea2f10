"""Operator panel of a running test: hold, resume, stop, tunable parameters, and the recorded operator events.

A button writes a request to the run folder. The run applies the request and records user, time, old and new value;
the panel shows these records.
"""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.testing import operator
from dovetail.testing.operator import Tunable
from dovetail.view.viser_scene import escape_markup

MAX_EVENTS = 6  # newest operator events


class Panel:
    """Buttons and sliders on the page of the run in `folder`."""

    def __init__(self, gui: Any, folder: Path, tunables: Mapping[str, Tunable], values: Mapping[str, float]):
        self.folder = folder
        self.buttons = {action: gui.add_button(action.capitalize()) for action in ("hold", "resume", "stop")}
        for action, button in self.buttons.items():
            button.on_click(self._button_action(action))
        self.tunables: dict[str, Any] = {}
        for path, tunable in tunables.items():
            low, high = float(tunable.min), float(tunable.max)
            self.tunables[path] = gui.add_slider(
                path, min=low, max=high, step=(high - low) / 1000, initial_value=values[path]
            )
            self.tunables[path].on_update(self._slider_action(path))
        self.requested = {path: float(values[path]) for path in tunables}  # newest recorded request
        self.state = gui.add_markdown("")
        self.log = gui.add_markdown("")

    def update(self) -> None:
        """Show the recorded operator events: whether the run is held, and the requested values in every window."""
        events = operator.read_events(self.folder)
        held, stopping = operator.is_held(events), operator.is_stopping(events)
        state = "# STOPPING" if stopping else "# HELD" if held else ""
        if state != self.state.content:
            self.state.content = state
        for name, possible in (("hold", not (held or stopping)), ("resume", held)):
            if self.buttons[name].disabled == possible:
                self.buttons[name].disabled = not possible
        for path, value in operator.requested_values(events).items():
            if path in self.tunables and value != self.requested[path]:
                self.requested[path] = self.tunables[path].value = value
        text = "\n\n".join(escape_markup(str(event)) for event in reversed(events[-MAX_EVENTS:]))
        if text and text != self.log.content:
            self.log.content = text

    def close(self) -> None:
        """Disable all buttons and sliders after the run."""
        self.state.content = ""
        for handle in (*self.buttons.values(), *self.tunables.values()):
            handle.disabled = True

    def _button_action(self, action: str):
        return lambda event: self._send(event, action)

    def _slider_action(self, path: str):
        def set_value(event: Any) -> None:
            if event.client is not None:  # not set by the page itself
                self._send(event, "set", path, float(self.tunables[path].value))

        return set_value

    def _send(self, event: Any, action: str, path: str = "", value: float | None = None) -> None:
        user = f"{getpass.getuser()}, window {event.client_id}"
        with contextlib.suppress(OSError):  # the run is over and its request folder is deleted
            operator.send_request(self.folder, action, user, path, value)
