"""A test that runs, in the browser: the newest sample of its window, its signals, and the operator's panel.

The page reads what the loop wrote and the loop knows nothing of it: however slow the page, however many of them, no
tick is later for it. This process makes way for others (it asks for less of the processor) for the same reason.
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
import xarray as xr

from dovetail.core import signals
from dovetail.links.live_run import Watched
from dovetail.links.ring import Window
from dovetail.scene.build import stage_of
from dovetail.scene.scene import Stage
from dovetail.testing import Run, Test, load
from dovetail.testing.operator import start_values
from dovetail.testing.run import dataset
from dovetail.view.access import Gate
from dovetail.view.axes_overlay import Corner
from dovetail.view.browser import opened
from dovetail.view.charts import Charts
from dovetail.view.panel import Panel
from dovetail.view.viser_scene import Scene, plain, told

FRAMES, CHARTS = 30.0, 5.0  # a second, at most
SPAN = 10.0  # [s] of the test that are shown
SAMPLES = 600  # of them
NICE = 10  # how far this process makes way for others


class Feed:
    """The newest seconds of a window as a dataset, thinned to what can be seen."""

    def __init__(self, test: Test, window: Window, mode: str):
        self.test, self.window, self.mode = test, window, mode
        self.every = max(1, round(SPAN / window.dt / SAMPLES)) if "time" not in window.signals else 1
        self.form: xr.Dataset | None = None  # names of dimensions, units: found once
        self.largest = 0.0  # [m] displacement so far

    def read(self) -> xr.Dataset | None:
        """What is there now; None before the first sample."""
        rows = self.window.latest(SAMPLES * self.every, self.every)
        times = rows.pop("time")
        if not len(times):
            return None
        rows = {name: values for name, values in rows.items() if name in signals.known()}
        if self.form is None:
            self.form = dataset(
                self.test, times[:1], {n: v[:1] for n, v in rows.items()}, {"mode": self.mode}
            )
        form = self.form
        data = xr.Dataset(
            {name: (form[name].dims, values, form[name].attrs) for name, values in rows.items()},
            coords={"time": times, **{c: form[c] for c in form.coords if c != "time"}},
            attrs={"title": self.test.title, "mode": self.mode, "going_on": True},
        )
        if "displacement" in rows:
            reach = float(np.nanmax(np.abs(rows["displacement"])))
            while self.largest < reach:  # in steps, so that the picture is not always of another size
                self.largest = max(2 * self.largest, 0.7 * reach, 1e-9)
        return data

    def stage(self, ideal: Run | None = None) -> Stage | None:
        """What is to be seen of it now."""
        data = self.read()
        if data is None:
            return None
        run: Any = SimpleNamespace(test=self.test, data=data, title=self.test.title, mode=self.mode)
        return stage_of(run, ideal, self.largest or None)


class LivePage:
    """The page of a run that goes on."""

    def __init__(
        self, watched: Watched, gate: Gate | None = None, port: int = 8080, ideal: Run | None = None
    ):
        with contextlib.suppress(OSError):
            os.nice(max(0, NICE - os.nice(0)))
        self.watched, self.ideal = watched, ideal
        self.test: Test = load(watched.folder / "test.toml")
        self.server = opened(gate or Gate(), port)
        self.port = int(self.server.get_port())
        gui = self.server.gui
        gui.add_markdown(f"**{plain(self.test.title)}**")
        self.clock = gui.add_html(told("It has not begun to move yet."))
        self.panel = Panel(gui, watched.folder, self.test.dials, start_values(self.test))
        self.feed: Feed | None = None
        self.scene: Scene | None = None
        self.charts: Charts | None = None
        self.corner = Corner(self.server)
        self.newest = 0  # tick that is shown
        self.frames = 0
        self._charted = 0.0

    def expect(self, ideal: Callable[[], Run | None]) -> None:
        """Have the ideal computed meanwhile, and shown behind the run as a ghost when it is there."""
        if self.watched.mode == "run":
            threading.Thread(target=lambda: setattr(self, "ideal", ideal()), daemon=True).start()

    def show(self) -> bool:
        """Draw what is newest; whether there was something new."""
        self.panel.update()
        if self.feed is None:
            window = self.watched.opened()
            if window is None:
                return False
            self.feed = Feed(self.test, window, self.watched.mode)
        newest = self.feed.window.newest
        if newest == self.newest:
            return False
        stage = self.feed.stage(self.ideal)
        if stage is None:
            return False
        if self.charts is None:
            self.charts = Charts(self.server.gui, stage.plots, stage.choices)
        if self.scene is None:
            self.scene = Scene(self.server, stage)
        elif not self.scene.fits(stage):  # the ghost has come
            self.scene.set(stage)
        k = len(stage.times) - 1
        self.scene.draw(stage, k)
        self.corner.tend(stage)
        if time.monotonic() - self._charted > 1 / CHARTS:
            self.charts.update(stage.plots, stage.choices)
            self._charted = time.monotonic()
        when = f"t = {stage.times[k]:.3f} s of {self.test.duration:g} s"
        self.clock.content = told(f"{when}, {self.watched.mode}", stage.notes(k))
        self.newest, self.frames = newest, self.frames + 1
        return True

    def serve(self, seconds: float | None = None) -> bool:
        """Follow the run until it is over, or for so long, and look at it once at least; whether it is over."""
        begin = time.monotonic()
        while True:
            now = time.monotonic()
            alive = self.watched.alive  # first, so that the last of it is drawn
            self.show()
            if not alive:
                self.panel.update()
                self.panel.close()
                return True
            if seconds is not None and time.monotonic() - begin >= seconds:
                return False
            time.sleep(max(0.0, 1 / FRAMES - (time.monotonic() - now)))

    def close(self) -> None:
        """Shut the server."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()


def finished(folder: Path, patience: float = 60.0) -> bool:
    """Whether the run of a folder has written its recording, and its outcome after that, waited for."""
    end = time.monotonic() + patience
    while not (folder / "outcome.json").is_file():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True
