"""Browser page of a running test: newest sample, signals and operator panel.

The page reads the ring file that the loop writes, without any synchronisation, so no number of pages can delay a tick.
For the same reason this process has a low priority.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dovetail.core import signals
from dovetail.core.recording import Recording
from dovetail.links.live_run import LiveRun
from dovetail.links.ring import RingReader
from dovetail.scene.build import build_scene
from dovetail.scene.scene import Scene
from dovetail.testing import Run, Test, load
from dovetail.testing.modes import mode_named
from dovetail.testing.operator import start_values
from dovetail.testing.run import recording_of
from dovetail.view.access import AccessControl
from dovetail.view.axes_overlay import AxesOverlay
from dovetail.view.browser import open_server
from dovetail.view.charts import Charts
from dovetail.view.panel import Panel
from dovetail.view.viser_scene import ViserScene, escape_markup, text_lines

FRAMES, CHARTS = 30.0, 5.0  # [Hz] largest rates
SPAN = 10.0  # [s] displayed time span
SAMPLES = 600  # displayed samples
NICE = 10  # niceness of this process


class Feed:
    """Newest samples of a ring as a recording, thinned for display."""

    def __init__(self, test: Test, window: RingReader, mode: str):
        self.test, self.window, self.mode = test, window, mode
        self.every = max(1, round(SPAN / window.dt / SAMPLES)) if "time" not in window.signals else 1
        self.largest = 0.0  # [m] largest displacement so far

    def read(self) -> Recording | None:
        """Return the newest samples; None before the first sample."""
        rows = self.window.latest(SAMPLES * self.every, self.every)
        times = rows.pop("time")
        if not len(times):
            return None
        rows = {name: values for name, values in rows.items() if name in signals.all_signals()}
        about = {"title": self.test.title, "mode": self.mode, "going_on": True}
        data = recording_of(self.test, times, rows, about)
        if "displacement" in rows:
            reach = float(np.nanmax(np.abs(rows["displacement"])))
            while self.largest < reach:  # in steps, so that the scale changes rarely
                self.largest = max(2 * self.largest, 0.7 * reach, 1e-9)
        return data

    def scene(self, reference_run: Run | None = None) -> Scene | None:
        """Return the current scene; None before the first sample."""
        data = self.read()
        if data is None:
            return None
        run: Any = SimpleNamespace(test=self.test, recording=data, title=self.test.title, mode=self.mode)
        return build_scene(run, reference_run, self.largest or None)


class LivePage:
    """Page of a running test."""

    def __init__(
        self,
        live_run: LiveRun,
        access_control: AccessControl | None = None,
        port: int = 8080,
        reference_run: Run | None = None,
    ):
        with contextlib.suppress(OSError):
            os.nice(max(0, NICE - os.nice(0)))
        self.live_run, self.reference_run = live_run, reference_run
        self.test: Test = load(live_run.folder / "test.toml")
        self.server = open_server(access_control or AccessControl(), port)
        self.port = int(self.server.get_port())
        gui = self.server.gui
        gui.add_markdown(f"**{escape_markup(self.test.title)}**")
        self.clock = gui.add_html(text_lines("Waiting for the first sample."))
        self.panel = Panel(gui, live_run.folder, self.test.tunable, start_values(self.test))
        self.feed: Feed | None = None
        self.viser_scene: ViserScene | None = None
        self.charts: Charts | None = None
        self.axes_overlay = AxesOverlay(self.server)
        self.newest = 0  # displayed tick
        self.frames = 0
        self._chart_time = 0.0

    def show_when_ready(self, reference_run: Callable[[], Run | None]) -> None:
        """Compute the reference in a thread and show it as a ghost when it is ready."""
        if mode_named(self.live_run.mode).compares:
            threading.Thread(
                target=lambda: setattr(self, "reference_run", reference_run()), daemon=True
            ).start()

    def show(self) -> bool:
        """Draw the newest sample; return whether there was a new one."""
        self.panel.update()
        if self.feed is None:
            window = self.live_run.open_ring()
            if window is None:
                return False
            self.feed = Feed(self.test, window, self.live_run.mode)
        newest = self.feed.window.newest
        if newest == self.newest:
            return False
        scene = self.feed.scene(self.reference_run)
        if scene is None:
            return False
        if self.charts is None:
            self.charts = Charts(self.server.gui, scene.plots, scene.choices)
        if self.viser_scene is None:
            self.viser_scene = ViserScene(self.server, scene)
        elif not self.viser_scene.has_same_objects(scene):  # the reference is ready
            self.viser_scene.replace(scene)
        k = len(scene.times) - 1
        self.viser_scene.draw(scene, k)
        self.axes_overlay.update(scene)
        if time.monotonic() - self._chart_time > 1 / CHARTS:
            self.charts.update(scene.plots, scene.choices)
            self._chart_time = time.monotonic()
        when = f"t = {scene.times[k]:.3f} s of {self.test.duration:g} s"
        self.clock.content = text_lines(f"{when}, {self.live_run.mode}", scene.notes(k))
        self.newest, self.frames = newest, self.frames + 1
        return True

    def serve(self, duration: float | None = None) -> bool:
        """Show the run until it is over or for a duration [s]; return whether it is over."""
        start = time.monotonic()
        while True:
            now = time.monotonic()
            alive = self.live_run.alive  # before drawing, so that the last sample is drawn
            self.show()
            if not alive:
                self.panel.update()
                self.panel.close()
                return True
            if duration is not None and time.monotonic() - start >= duration:
                return False
            time.sleep(max(0.0, 1 / FRAMES - (time.monotonic() - now)))

    def close(self) -> None:
        """Stop the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def wait_for_recording(folder: Path, timeout: float = 60.0) -> bool:
    """Wait until a run has written its recording and outcome; return whether it has."""
    end = time.monotonic() + timeout
    while not (folder / "outcome.json").is_file():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True
