"""Page of a recorded run: playback, time slider, cameras, scenes and plots."""

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
from dovetail.scene.scene import Scene
from dovetail.view.access import AccessControl
from dovetail.view.axes_overlay import AxesOverlay
from dovetail.view.charts import Charts
from dovetail.view.keys import Keys
from dovetail.view.playback import Playback
from dovetail.view.plot_clicks import click_listener
from dovetail.view.viser_scene import ViserScene, escape_markup, text_lines

MAX_FRAME_RATE = 60.0  # [Hz]
# rates during playback [Hz]; clock and slider cost the page more than the 3-D scene, cursors send the plots again
CLOCK_RATE, TRAIL_RATE, CURSOR_RATE = 5.0, 6.0, 4.0
SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
SLIDER_STEPS = 1000  # steps of the time slider
CAMERA_TIMEOUT = 2.0  # [s] time until a page has applied a camera position
MARK_SPACING = 0.4  # width of the name of a mark, as a fraction of the slider


class MissingViewer(DovetailError):
    """The packages of the view are not installed."""


def open_server(access_control: AccessControl, port: int) -> Any:
    """Start a server with an empty page and access control."""
    try:
        import viser
    except ModuleNotFoundError as error:
        raise MissingViewer(
            "the view needs viser, which is not installed; install it with: pip install 'dovetail-hybrid[view]'"
        ) from error
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # a closed page is not an error
    with contextlib.redirect_stdout(io.StringIO()), access_control.installed():  # viser prints a greeting
        server = viser.ViserServer(host=access_control.host, port=port, label="Dovetail", verbose=False)
    if not access_control.active:
        server.stop()
        raise MissingViewer(
            f"viser {viser.__version__} is not supported: access control cannot be installed; install a supported "
            "version: pip install 'viser<1.2'"
        )
    return clear_page(server)


def clear_page(server: Any, dark: bool = False) -> Any:
    """Clear the page of a server, except its panel at the right; return the server."""
    server.gui.reset()
    server.scene.reset()
    set_theme(server, dark)
    server.gui.main_panel.dock_right()
    return server


def set_theme(server: Any, dark: bool) -> None:
    """Set a light or dark panel for all clients."""
    server.gui.configure_theme(show_share_button=False, show_logo=False, dark_mode=dark)


def slider_marks(events: Sequence[tuple[float, str]], duration: float) -> tuple[Any, ...]:
    """Return the marks of a slider; an event close to the last named one has no name."""
    marks: list[Any] = []
    last = -np.inf
    for t, name in events:
        fits = t - last > MARK_SPACING * duration
        marks.append((t, name) if fits else t)
        last = t if fits else last
    return tuple(marks)


class RunPage:
    """Page of one run; `scenes` are the selectable scenes by name."""

    def __init__(
        self,
        scenes: Scene | Mapping[str, Scene],
        access_control: AccessControl | None = None,
        port: int = 8080,
        server: Any = None,
    ):
        self.scenes = {"": scenes} if isinstance(scenes, Scene) else dict(scenes)
        self.scene = next(iter(self.scenes.values()))
        self.playback = Playback(float(self.scene.times[0]), float(self.scene.times[-1]))
        self.server = (
            clear_page(server) if server is not None else open_server(access_control or AccessControl(), port)
        )
        self.port = int(self.server.get_port())
        self.events: list[tuple[float, str]] = []  # time of the recording [s] and action
        # sample of the 3-D scene, clock, plot cursors and trails
        self.shown = self.clock_sample = self.cursor_sample = self.trail_sample = -1
        self.clock_time = self.cursor_time = self.trail_time = -1.0  # [s] wall-clock times
        self.requested: str | None = None  # requested scene; shown by the drawing thread
        self.name = next(iter(self.scenes))  # name of the displayed scene
        self.pending_scenes: Mapping[str, Scene] | None = None  # scenes that replace the present ones
        self.focus: np.ndarray | None = None  # [m] last focus of the following cameras
        # clients with unmoved camera: client, wall-clock time [s], aspect, camera positions set so far
        self.new_clients: dict[int, tuple[Any, float, float, list[np.ndarray]]] = {}
        self.viser_scene = ViserScene(self.server, self.scene)
        self.axes_overlay = AxesOverlay(self.server)
        self._set_up()
        self.show(self.playback.position)
        self.server.on_client_connect(self._add_client)
        self.server.on_client_disconnect(lambda client: self.new_clients.pop(client.client_id, None))

    def _set_up(self) -> None:
        gui, scene = self.server.gui, self.scene
        gui.add_markdown(f"**{escape_markup(scene.title)}**")
        self.clock = gui.add_html("")
        self.notice: Any = None
        self.transport = gui.add_button_group("", tuple(self._actions))
        first, last = self.playback.first, self.playback.last
        step = max(last - first, 1e-9) / SLIDER_STEPS
        marks = (
            slider_marks([event for event in scene.events if first <= event[0] <= last], last - first) or None
        )
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
        self.view.on_click(lambda _: self.set_camera(str(self.view.value)))
        self.speed.on_update(lambda _: self._set_speed())
        self.dark = gui.add_checkbox("dark mode", initial_value=False)
        self.dark.on_update(lambda _: self._apply_theme())
        self.keys = Keys(self)
        self.scrubber.on_update(self._drag)
        if len(self.scenes) > 1:
            self.scene_box = gui.add_dropdown(
                "scene", tuple(self.scenes), initial_value=next(iter(self.scenes))
            )
            self.scene_box.on_update(lambda _: setattr(self, "requested", self.scene_box.value))
        self.folder = gui.add_folder("Visibility", expand_by_default=False)
        self._boxes: list[Any] = []
        self._add_boxes()
        self.charts = Charts(gui, scene.plots, scene.choices, now=first)
        gui.add_html(click_listener())

    def show_when_ready(self, name: str, load_scenes: Callable[[], Mapping[str, Scene] | None]) -> None:
        """Load further scenes in a thread and show them when they are ready; display a notice until then."""
        self.notice = self.server.gui.add_markdown(escape_markup(f"Computing {name}"))

        def work() -> None:
            try:
                self.pending_scenes = load_scenes()
            except DovetailError as error:
                self.notice.content = escape_markup(f"{name}: not available: {error}")
            else:
                self.notice.remove()

        threading.Thread(target=work, daemon=True).start()

    def show_scene(self, name: str) -> None:
        """Show another scene of the run."""
        self.name, self.scene = name, self.scenes[name]
        self.viser_scene.replace(self.scene)
        for box in self._boxes:
            box.remove()
        self._add_boxes()
        self.shown = self.clock_sample = self.cursor_sample = self.trail_sample = -1

    def _add_boxes(self) -> None:
        with self.folder:
            self._boxes = [
                self.server.gui.add_checkbox(name, initial_value=True)
                for name, _ in self.viser_scene.named_handles
            ]
        for box, (_, handle) in zip(self._boxes, self.viser_scene.named_handles, strict=True):
            _show_or_hide(box, handle)

    @property
    def _actions(self) -> dict[str, Callable[[], None]]:
        """Actions of the playback buttons."""
        return {"Play": self.playback.play, "Pause": self.playback.pause, "Rewind": self._rewind}

    def _apply_theme(self) -> None:
        """Set light or dark mode of panel and room."""
        set_theme(self.server, self.dark.value)
        self.viser_scene.set_dark(self.dark.value)

    def set_camera(self, name: str) -> None:
        """Set the cameras of all clients by name; a following camera then moves with the focus."""
        self.new_clients.clear()
        k = self.scene.at(self.playback.position)
        for client in self.server.get_clients().values():
            self._aim(client, name, k)
        focus = self.scene.focus if name in ("follow", "close-up") else None
        self.focus = None if focus is None else np.asarray(focus(k), float)

    def _aim(self, client: Any, name: str, k: int) -> np.ndarray:
        here = cameras.on_screen(self.scene, name, client.camera.aspect)(k)
        client.camera.position, client.camera.look_at = here.eye, here.target
        return here.eye

    def _add_client(self, client: Any) -> None:
        """Register a new client; the drawing thread sets its camera."""
        self.new_clients[client.client_id] = (
            client,
            time.monotonic(),
            0.0,
            [np.asarray(self.scene.eye, float)],
        )

    def _aim_new_clients(self, k: int) -> None:
        """Set the cameras of new clients so that the whole scene is visible, also above the panel of a phone.

        A page needs time to determine its size and can report an older camera position after a newer one was sent. A
        camera at a position that was never set was moved by the user and is not changed.
        """
        for name, (client, since, aspect, eyes) in list(self.new_clients.items()):
            here = client.camera.position
            unmoved = any(np.allclose(here, eye, 1e-3) for eye in eyes)
            if time.monotonic() - since > CAMERA_TIMEOUT and not unmoved:
                self.new_clients.pop(name, None)
            elif client.camera.aspect != aspect or np.allclose(here, self.scene.eye, 1e-3):
                requested = self._aim(client, cameras.NAMES[0], k)
                self.new_clients[name] = client, time.monotonic(), client.camera.aspect, [*eyes, requested]

    def _follow_focus(self, k: int) -> None:
        """Move all cameras by the displacement of the focus."""
        if self.focus is None or self.scene.focus is None:
            return
        now = np.asarray(self.scene.focus(k), float)
        by, self.focus = now - self.focus, now
        for client in self.server.get_clients().values() if np.any(by) else ():
            client.camera.position = client.camera.position + by  # viser moves the target as well

    def press(self, action: str) -> None:
        """Execute the action of a playback button and record it."""
        self._actions[action.capitalize()]()
        self.events.append((self.playback.position, action))

    def _rewind(self) -> None:
        self.playback.pause()
        self.playback.seek(self.playback.first)

    def _set_speed(self) -> None:
        self.playback.speed = float(self.speed.value)

    def _drag(self, event: Any) -> None:
        if event.client is None:  # set by the playback itself
            return
        self.playback.seek(float(self.scrubber.value))
        self.events.append((self.playback.position, "seek"))

    def show(self, t: float) -> int:
        """Draw the scene at time t [s]; return the sample index."""
        if self.pending_scenes is not None:
            self.scenes, self.pending_scenes = dict(self.pending_scenes), None
            self.requested = self.requested or self.name
        if self.requested is not None:
            self.show_scene(self.requested)
            self.requested = None
        self.charts.update_selection()
        self.keys.restore_views()
        self.axes_overlay.update(self.scene)
        k = self.scene.at(t)
        self._aim_new_clients(k)
        now = time.monotonic()
        full = not self.playback.playing or now - self.trail_time > 1 / TRAIL_RATE
        if k != self.shown or (full and k != self.trail_sample):
            self.viser_scene.draw(self.scene, k, quickly=not full)
            self._follow_focus(k)
            self.shown = k
            if full:
                self.trail_sample, self.trail_time = k, now
        self.viser_scene.update_labels(self.scene, k)
        if k != self.clock_sample and (not self.playback.playing or now - self.clock_time > 1 / CLOCK_RATE):
            self._update_clock(k)
            self.clock_sample, self.clock_time = k, now
        if k != self.cursor_sample and (
            not self.playback.playing or now - self.cursor_time > 1 / CURSOR_RATE
        ):
            self.charts.move_cursor(float(self.scene.times[k]))
            self.cursor_sample, self.cursor_time = k, now
        return k

    def _update_clock(self, k: int) -> None:
        """Set the clock and the time slider."""
        t = float(np.clip(self.scene.times[k], self.playback.first, self.playback.last))
        if t != self.scrubber.value:
            self.scrubber.value = t
        self.clock.content = text_lines(f"t = {self.scene.times[k]:.4f} s", self.scene.notes(k))

    def serve(self, duration: float | None = None) -> int:
        """Serve until interrupted, or for a duration [s]; return the number of frames."""
        start = last = time.monotonic()
        frames = 0
        while duration is None or last - start < duration:
            now = time.monotonic()
            before = self.shown
            self.show(self.playback.advance(now - last))
            frames += self.shown != before
            last = now
            time.sleep(max(0.0, 1 / MAX_FRAME_RATE - (time.monotonic() - now)))
        return frames

    def close(self) -> None:
        """Stop the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def _show_or_hide(box: Any, handle: Any) -> None:
    box.on_update(lambda _: setattr(handle, "visible", box.value))
