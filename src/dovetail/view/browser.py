"""A stage in the browser: viser draws it, this fills the page and answers its buttons.

What comes from a test (titles, names of signals and axes) reaches the page as text of a label or a title, never as
markup: `plain` takes the characters apart that Markdown or HTML would act on.
"""

from __future__ import annotations

import contextlib
import io
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.view.player import Player
from dovetail.view.stage import Plot, Stage

FRAMES = 60.0  # a second, at most
SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
SLIDER = 1000  # places of the scrubber


class MissingViewer(DovetailError):
    """The packages that the view needs are not installed."""


def plain(text: str) -> str:
    """Text that Markdown and HTML take for text."""
    escaped = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", escaped)


def rgb(colour: str, ghost: bool = False) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers; a ghost is half as far from white."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return tuple((v + 255) // 2 if ghost else v for v in parts)  # type: ignore[return-value]


def segments(points: np.ndarray) -> np.ndarray:
    """A polyline (n, 3) as pieces (n - 1, 2, 3)."""
    points = np.asarray(points, dtype=np.float32)
    return np.stack([points[:-1], points[1:]], axis=1)


class Page:
    """One stage on one server; made once, told the moment to show."""

    def __init__(self, stage: Stage, host: str = "127.0.0.1", port: int = 8080):
        try:
            import viser
        except ModuleNotFoundError as error:
            raise MissingViewer(
                "the view needs viser, which is not installed; install it with: pip install 'dovetail[view]'"
            ) from error
        self.stage = stage
        self.player = Player(float(stage.times[0]), float(stage.times[-1]))
        with contextlib.redirect_stdout(io.StringIO()):  # it greets whoever started it
            self.server = viser.ViserServer(host=host, port=port, label="Dovetail", verbose=False)
        self.port = int(self.server.get_port())
        self.pressed: list[tuple[float, str]] = []  # moment of the recording [s], what was pressed
        self._dragged = False
        self._shown = -1
        self._lines: list[Any] = []
        self._arrows: list[Any] = []
        self._set_up()
        self.show(self.player.position)

    def _set_up(self) -> None:
        scene, gui, stage = self.server.scene, self.server.gui, self.stage
        gui.configure_theme(show_share_button=False, show_logo=False)
        gui.main_panel.dock_right()
        scene.set_up_direction(stage.up)
        self.server.initial_camera.position = stage.eye
        self.server.initial_camera.look_at = stage.target
        scene.add_frame("/frame", axes_length=0.1 * _reach(stage), axes_radius=0.003 * _reach(stage))
        for i, line in enumerate(stage.lines):
            self._lines.append(
                scene.add_line_segments(
                    f"/lines/{i}",
                    segments(line.points(0)),
                    rgb(line.colour, line.ghost),
                    thickness=line.width,
                    thickness_units="screen",
                )
            )
        thin = 0.006 * _reach(stage)
        for i, arrow in enumerate(stage.arrows):
            self._arrows.append(
                scene.add_arrows(
                    f"/arrows/{i}",
                    self._arrow(arrow, 0),
                    rgb(arrow.colour),
                    shaft_radius=thin,
                    head_radius=2.5 * thin,
                    head_length=5 * thin,
                )
            )
        gui.add_markdown(f"**{plain(stage.title)}**")
        self.clock = gui.add_markdown("")
        self.play = gui.add_button("Play")
        self.hold = gui.add_button("Hold")
        self.scrubber: Any = gui.add_slider("moment", min=0, max=SLIDER, step=1, initial_value=0)
        self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self.play.on_click(lambda _: self._press("play", self.player.play))
        self.hold.on_click(lambda _: self._press("hold", self.player.hold))
        self.speed.on_update(lambda _: self._faster())
        self.scrubber.on_update(self._drag)
        with gui.add_folder("what is shown", expand_by_default=False):
            for line, handle in zip(stage.lines, self._lines, strict=True):
                _show_or_hide(gui.add_checkbox(line.name, initial_value=True), handle)
        for plot in stage.plots:
            _add_plot(gui, plot)

    def _press(self, what: str, act: Callable[[], None]) -> None:
        act()
        self.pressed.append((self.player.position, what))

    def _faster(self) -> None:
        self.player.speed = float(self.speed.value)

    def _drag(self, event: Any) -> None:
        if event.client is None:  # our own doing, as the playback goes on
            return
        share = self.scrubber.value / SLIDER
        self.player.seek(self.player.first + share * (self.player.last - self.player.first))
        self.pressed.append((self.player.position, "seek"))

    def _arrow(self, arrow: Any, k: int) -> np.ndarray:
        start = np.asarray(arrow.at(k), dtype=np.float32)
        reach = arrow.length * np.asarray(arrow.vector(k), dtype=np.float32)
        if not np.any(reach):
            reach = np.array(
                [0.0, 0.0, 1e-6], dtype=np.float32
            )  # an arrow without a direction has no picture
        return np.stack([start, start + reach])[None]

    def show(self, t: float) -> int:
        """Draw the moment t [s]; the number of the sample that is shown."""
        k = self.stage.at(t)
        if k == self._shown:
            return k
        with self.server.atomic():
            for line, handle in zip(self.stage.lines, self._lines, strict=True):
                handle.points = segments(line.points(k))
            for arrow, handle in zip(self.stage.arrows, self._arrows, strict=True):
                handle.points = self._arrow(arrow, k)
        span = self.player.last - self.player.first
        place = round(SLIDER * (self.stage.times[k] - self.player.first) / span) if span > 0 else 0
        if place != self.scrubber.value:
            self.scrubber.value = place
        self.clock.content = f"t = {self.stage.times[k]:.4f} s\n\n{plain(self.stage.notes(k))}"
        self._shown = k
        return k

    def serve(self, seconds: float | None = None) -> int:
        """Play until interrupted, or for so long; the number of frames that were drawn."""
        begin = last = time.monotonic()
        frames = 0
        while seconds is None or last - begin < seconds:
            now = time.monotonic()
            before = self._shown
            self.show(self.player.advance(now - last))
            frames += self._shown != before
            last = now
            time.sleep(max(0.0, 1 / FRAMES - (time.monotonic() - now)))
        return frames

    def close(self) -> None:
        """Shut the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def _show_or_hide(box: Any, handle: Any) -> None:
    box.on_update(lambda _: setattr(handle, "visible", box.value))


def _add_plot(gui: Any, plot: Plot) -> None:
    from viser import uplot

    colours = ("#0072b2", "#d55e00", "#009e73", "#b5179e")
    order = np.argsort(plot.x, kind="stable") if np.any(np.diff(plot.x) < 0) else slice(None)
    series = [uplot.Series(label="x")]
    series += [
        uplot.Series(label=name, stroke=colours[i % len(colours)], width=1)
        for i, name in enumerate(plot.names)
    ]
    data = (np.asarray(plot.x, float)[order], *(np.asarray(y, float)[order] for y in plot.ys))
    scales = {"x": uplot.Scale(time=False)}
    gui.add_uplot(data, tuple(series), title=plot.title, scales=scales, aspect=1.9)


def _reach(stage: Stage) -> float:
    return float(np.linalg.norm(np.subtract(stage.eye, stage.target)))
