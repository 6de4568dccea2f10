"""A recorded run in the browser: played at any speed, held, scrubbed, in one picture or another."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.scene import cameras
from dovetail.scene.scene import Stage
from dovetail.view.access import Gate
from dovetail.view.axes_overlay import Corner
from dovetail.view.charts import Charts
from dovetail.view.keys import Keys
from dovetail.view.playback import Player
from dovetail.view.plot_clicks import heard
from dovetail.view.viser_scene import Scene, plain, told

FRAMES = 60.0  # a second, at most
WORDS = (
    5.0  # a second while it plays: the clock and the scrubber, which cost the page more than the picture does
)
TRAILS = 6.0  # a second while it plays: trails, which are long
HEADS = 4.0  # a second while it plays: the playheads, for which the plots are sent again
SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
SLIDER = 1000  # places of the scrubber
GREETED = 2.0  # [s] that a page takes to look from where it was told
ROOM = 0.4  # of the scrubber that the name of a mark takes


class MissingViewer(DovetailError):
    """The packages that the view needs are not installed."""


def opened(gate: Gate, port: int) -> Any:
    """A server with an empty page, behind a gate."""
    try:
        import viser
    except ModuleNotFoundError as error:
        raise MissingViewer(
            "the view needs viser, which is not installed; install it with: pip install 'dovetail-hybrid[view]'"
        ) from error
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # a reader that goes away is no news
    with contextlib.redirect_stdout(io.StringIO()), gate.before():  # it greets whoever started it
        server = viser.ViserServer(host=gate.host, port=port, label="Dovetail", verbose=False)
    if not gate.stands:
        server.stop()
        raise MissingViewer(
            f"viser {viser.__version__} serves in a way that is not known here, and would let everybody in; "
            "install the one that is known: pip install 'viser<1.2'"
        )
    return dressed(server)


def dressed(server: Any, dark: bool = False) -> Any:
    """A server whose page has nothing on it but its panel at the right."""
    server.gui.reset()
    server.scene.reset()
    themed(server, dark)
    server.gui.main_panel.dock_right()
    return server


def themed(server: Any, dark: bool) -> None:
    """The page's panel light or dark, for all who look."""
    server.gui.configure_theme(show_share_button=False, show_logo=False, dark_mode=dark)


def marked(events: Sequence[tuple[float, str]], duration: float) -> tuple[Any, ...]:
    """Marks of a slider: each where it happened, with its name where there is room beside the one before."""
    marks: list[Any] = []
    named = -np.inf
    for moment, name in events:
        room = moment - named > ROOM * duration
        marks.append((moment, name) if room else moment)
        named = moment if room else named
    return tuple(marks)


class RunPage:
    """One run on one server; made once, told the moment to show. `stages` are pictures to choose from, by name."""

    def __init__(
        self,
        stages: Stage | Mapping[str, Stage],
        gate: Gate | None = None,
        port: int = 8080,
        server: Any = None,
    ):
        self.stages = {"": stages} if isinstance(stages, Stage) else dict(stages)
        self.stage = next(iter(self.stages.values()))
        self.player = Player(float(self.stage.times[0]), float(self.stage.times[-1]))
        self.server = dressed(server) if server is not None else opened(gate or Gate(), port)
        self.port = int(self.server.get_port())
        self.pressed: list[tuple[float, str]] = []  # moment of the recording [s], what was pressed
        # number of the sample in the picture, on the clock, in the plots, at the end of trails
        self.shown = self.told = self.headed = self.trailed = -1
        self.told_at = self.headed_at = self.trailed_at = -1.0  # [s] by the wall clock
        self.wanted: str | None = None  # picture that was asked for; drawn by the thread that draws
        self.name = next(iter(self.stages))  # of the picture that is shown
        self.awaited: Mapping[str, Stage] | None = None  # the same pictures with more in them
        self.followed: np.ndarray | None = None  # [m] where what the eyes go along with was last
        # who came and has not moved: since when by the wall clock [s], on which screen, where its eye was put so far
        self.newcomers: dict[int, tuple[Any, float, float, list[np.ndarray]]] = {}
        self.scene = Scene(self.server, self.stage)
        self.corner = Corner(self.server)
        self._set_up()
        self.show(self.player.position)
        self.server.on_client_connect(self._welcome)
        self.server.on_client_disconnect(lambda client: self.newcomers.pop(client.client_id, None))

    def _set_up(self) -> None:
        gui, stage = self.server.gui, self.stage
        gui.add_markdown(f"**{plain(stage.title)}**")
        self.clock = gui.add_html("")
        self.waiting: Any = None
        self.transport = gui.add_button_group("", tuple(self._acts))
        first, last = self.player.first, self.player.last
        step = max(last - first, 1e-9) / SLIDER
        marks = marked([event for event in stage.events if first <= event[0] <= last], last - first) or None
        self.scrubber: Any = gui.add_slider(
            "t [s]",
            min=first,
            max=last + (step if last == first else 0),
            step=step,
            initial_value=first,
            marks=marks,
        )
        self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self.view = gui.add_button_group("camera", cameras.NAMES)
        self.transport.on_click(lambda _: self.press(str(self.transport.value).lower()))
        self.view.on_click(lambda _: self.look_from(str(self.view.value)))
        self.speed.on_update(lambda _: self._faster())
        self.dark = gui.add_checkbox("dark", initial_value=False)
        self.dark.on_update(lambda _: self._shade())
        self.keys = Keys(self)
        self.scrubber.on_update(self._drag)
        if len(self.stages) > 1:
            self.picture = gui.add_dropdown(
                "picture", tuple(self.stages), initial_value=next(iter(self.stages))
            )
            self.picture.on_update(lambda _: setattr(self, "wanted", self.picture.value))
        self.folder = gui.add_folder("what is shown", expand_by_default=False)
        self._boxes: list[Any] = []
        self._add_boxes()
        self.charts = Charts(gui, stage.plots, stage.choices, now=first)
        gui.add_html(heard())

    def expect(self, what: str, pictures: Callable[[], Mapping[str, Stage] | None]) -> None:
        """Have more to show computed meanwhile, say so on the page, and show it when it is there, if there is any."""
        self.waiting = self.server.gui.add_markdown(plain(f"{what} is being computed; it will appear here"))

        def work() -> None:
            try:
                self.awaited = pictures()
            except DovetailError as error:
                self.waiting.content = plain(f"{what} cannot be shown: {error}")
            else:
                self.waiting.remove()

        threading.Thread(target=work, daemon=True).start()

    def look_at(self, name: str) -> None:
        """Show another picture of the same run."""
        self.name, self.stage = name, self.stages[name]
        self.scene.set(self.stage)
        for box in self._boxes:
            box.remove()
        self._add_boxes()
        self.shown = self.told = self.headed = self.trailed = -1

    def _add_boxes(self) -> None:
        with self.folder:
            self._boxes = [
                self.server.gui.add_checkbox(name, initial_value=True) for name, _ in self.scene.named
            ]
        for box, (_, handle) in zip(self._boxes, self.scene.named, strict=True):
            _show_or_hide(box, handle)

    @property
    def _acts(self) -> dict[str, Callable[[], None]]:
        """What the transport does."""
        return {"Play": self.player.play, "Hold": self.player.hold, "Stop": self._rewind}

    def _shade(self) -> None:
        """Panel and room light or dark, as the box says."""
        themed(self.server, self.dark.value)
        self.scene.shade(self.dark.value)

    def look_from(self, name: str) -> None:
        """Turn all eyes to what a camera of that name sees; one that follows goes along from there."""
        self.newcomers.clear()
        k = self.stage.at(self.player.position)
        for client in self.server.get_clients().values():
            self._turn(client, name, k)
        focus = self.stage.focus if name in ("follow", "close-up") else None
        self.followed = None if focus is None else np.asarray(focus(k), float)

    def _turn(self, client: Any, name: str, k: int) -> np.ndarray:
        here = cameras.on_screen(self.stage, name, client.camera.aspect)(k)
        client.camera.position, client.camera.look_at = here.eye, here.target
        return here.eye

    def _welcome(self, client: Any) -> None:
        """Somebody comes; where they look from is seen to by the thread that draws."""
        self.newcomers[client.client_id] = client, time.monotonic(), 0.0, [np.asarray(self.stage.eye, float)]

    def _greet(self, k: int) -> None:
        """Keep the eye of who came where their screen shows all of it and a phone's sheet hides nothing.

        The page takes its time to find its size, and an eye that it was given before, or its own first one, may be
        told of after a newer one was sent. Who is where nobody put them has moved, and is left alone.
        """
        for name, (client, since, aspect, eyes) in list(self.newcomers.items()):
            here = client.camera.position
            put = any(np.allclose(here, eye, 1e-3) for eye in eyes)
            if time.monotonic() - since > GREETED and not put:
                self.newcomers.pop(name, None)
            elif client.camera.aspect != aspect or np.allclose(here, self.stage.eye, 1e-3):
                wanted = self._turn(client, cameras.NAMES[0], k)
                self.newcomers[name] = client, time.monotonic(), client.camera.aspect, [*eyes, wanted]

    def _go_along(self, k: int) -> None:
        """Move all eyes by as much as what they follow has moved."""
        if self.followed is None or self.stage.focus is None:
            return
        now = np.asarray(self.stage.focus(k), float)
        by, self.followed = now - self.followed, now
        for client in self.server.get_clients().values() if np.any(by) else ():
            client.camera.position = client.camera.position + by  # what it looks at goes with it

    def press(self, what: str) -> None:
        """Do what a button of the transport says, and note it."""
        self._acts[what.capitalize()]()
        self.pressed.append((self.player.position, what))

    def _rewind(self) -> None:
        self.player.hold()
        self.player.seek(self.player.first)

    def _faster(self) -> None:
        self.player.speed = float(self.speed.value)

    def _drag(self, event: Any) -> None:
        if event.client is None:  # our own doing, as the playback goes on
            return
        self.player.seek(float(self.scrubber.value))
        self.pressed.append((self.player.position, "seek"))

    def show(self, t: float) -> int:
        """Draw the moment t [s]; the number of the sample that is shown."""
        if self.awaited is not None:
            self.stages, self.awaited = dict(self.awaited), None
            self.wanted = self.wanted or self.name
        if self.wanted is not None:
            self.look_at(self.wanted)
            self.wanted = None
        self.charts.tend()
        self.keys.tend()
        self.corner.tend(self.stage)
        k = self.stage.at(t)
        self._greet(k)
        now = time.monotonic()
        whole = not self.player.playing or now - self.trailed_at > 1 / TRAILS
        if k != self.shown or (whole and k != self.trailed):
            self.scene.draw(self.stage, k, quickly=not whole)
            self._go_along(k)
            self.shown = k
            if whole:
                self.trailed, self.trailed_at = k, now
        self.scene.tend(self.stage, k)
        if k != self.told and (not self.player.playing or now - self.told_at > 1 / WORDS):
            self._tell(k)
            self.told, self.told_at = k, now
        if k != self.headed and (not self.player.playing or now - self.headed_at > 1 / HEADS):
            self.charts.point(float(self.stage.times[k]))
            self.headed, self.headed_at = k, now
        return k

    def _tell(self, k: int) -> None:
        """Set the clock and the scrubber."""
        place = float(np.clip(self.stage.times[k], self.player.first, self.player.last))
        if place != self.scrubber.value:
            self.scrubber.value = place
        self.clock.content = told(f"t = {self.stage.times[k]:.4f} s", self.stage.notes(k))

    def serve(self, seconds: float | None = None) -> int:
        """Play until interrupted, or for so long; the number of frames that were drawn."""
        begin = last = time.monotonic()
        frames = 0
        while seconds is None or last - begin < seconds:
            now = time.monotonic()
            before = self.shown
            self.show(self.player.advance(now - last))
            frames += self.shown != before
            last = now
            time.sleep(max(0.0, 1 / FRAMES - (time.monotonic() - now)))
        return frames

    def close(self) -> None:
        """Shut the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def _show_or_hide(box: Any, handle: Any) -> None:
    box.on_update(lambda _: setattr(handle, "visible", box.value))
