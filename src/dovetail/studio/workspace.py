"""Workspace shared by all pages of one server: open test, exploration, jobs, control lock.

Pages are notified of a change by its name (`document`, `sliders`, `result`, `map`, `jobs`, `rig`, `recent runs`,
`control`) and update themselves. Slow work runs in other processes (`dovetail.app.explore_process`,
`dovetail.app.jobs`); reading of files runs in a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import json
import time
import tomllib
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Protocol

from dovetail.studio.scene import SceneServers

POLL_INTERVAL = 0.012  # [s] polling interval for results
SLOW_POLL_INTERVAL = 0.25  # [s] polling interval for jobs, states and users
FIRST = ("delay", "c", "k", "tau", "m")  # parameter names with initial sliders, in order of priority
SLIDERS = 3


class OpenPage(Protocol):
    """Interface of an open page."""

    user: str
    browser: str  # browser identifier

    def refresh(self, change: str) -> None:
        """Update the page after a change."""


class Workspace:
    """State behind the pages. Opens `test` at the start, otherwise the last test, stored in the file `memory`."""

    def __init__(self, runs: Path, test: str | None = None, memory: Path | None = None):
        self.runs, self.memory = runs, memory
        self.first = test or self._stored_state().get("test")
        self.scenes = SceneServers()
        self.recent_runs: list[Any] = []  # recent runs
        self.document: Any = None
        self.error = ""  # error message if the requested test could not be opened
        self.busy = ""  # text shown while a test is loading
        self.opened = 0  # number of tests opened so far
        self.blocks: list[Any] = []  # blocks, drawing and changes of the document, shared by all pages
        self.drawing = self.difference = ""
        self.paths: list[str] = []  # slider paths
        self.sliders: list[Any] = []
        self.ranges: dict[str, tuple[float, float]] = {}  # slider ranges, by path
        self.values: dict[str, float] = {}  # slider values, in SI units
        self.process: Any = None
        self.state = ""  # state of the explore process
        self.exploring = False  # whether a page has opened the Explore tab
        self.result: Any = None
        self.map: Any = None
        self.jobs: Any = None
        self.drafts: Any = None
        self.control: Any = None
        self.arming: Any = None
        self.addresses: dict[str, str] = {}  # of the rig and the cell, by mode, for all pages
        self.pages: set[OpenPage] = set()
        self._explored: Any = None  # table and paths of the explore process
        self._job_states: list[Any] = []
        self._control_state: Any = None
        self._armed: Any = None
        self.start_time = time.time()
        self._tasks: set[asyncio.Task] = set()
        self._lock = asyncio.Lock()

    # pages

    def notify(self, change: str) -> None:
        """Notify all pages of a change."""
        for page in tuple(self.pages):
            page.refresh(change)

    async def start(self) -> None:
        """Start background tasks; heavy imports wait until the first page can be sent."""
        self._run_in_background(self._start())
        self._run_in_background(self._listen())

    def _run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Stop tasks and processes when the server shuts down."""
        for task in tuple(self._tasks):
            task.cancel()
        self.scenes.close()
        if self.process is not None:
            self.process.close()

    def _stored_state(self) -> dict[str, Any]:
        """Return the stored name and sliders of the last open test."""
        try:
            state = json.loads(self.memory.read_text("utf-8")) if self.memory is not None else {}
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}

    def _store_state(self) -> None:
        if self.memory is not None and self.document is not None:
            with contextlib.suppress(OSError):
                self.memory.write_text(
                    json.dumps({"test": self.document.name, "sliders": self.paths}), "utf-8"
                )

    async def _start(self) -> None:
        self.busy = "Loading Dovetail"

        def load() -> None:
            from dovetail.app import Arming, ControlLock, Drafts, Jobs

            self.drafts, self.jobs, self.control = Drafts(), Jobs(self.runs), ControlLock()
            self.arming = Arming(self.jobs)

        await asyncio.to_thread(load)
        self.busy = ""
        await self._list_recent_runs()
        self.notify("jobs")
        self.notify("control")
        if self.first:
            await self.open(self.first)
        else:
            self.notify("document")

    async def _listen(self) -> None:
        """Poll results of other processes and notify the pages."""
        count = 0
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            count += 1
            with contextlib.suppress(Exception):
                self._poll(count % round(SLOW_POLL_INTERVAL / POLL_INTERVAL) == 0)

    def _poll(self, slow: bool) -> None:
        if self.process is not None:
            result, chart = self.process.newest(), self.process.newest_map()
            if result is not None and result is not self.result:
                self.result = result
                self.notify("result")
            if chart is not None and chart is not self.map:
                self.map = chart
                self.notify("map")
        if slow:
            if self.process is not None and self.process.state != self.state:
                self.state = self.process.state
                self.notify("state")
            if self.jobs is not None:
                states = [
                    (job.folder, job.state, job.progress, job.text, job.phase, job.outcome)
                    for job in self.jobs.all()
                ]
                if states != self._job_states:
                    ended = [state[:2] for state in states] != [state[:2] for state in self._job_states]
                    self._job_states = states
                    self.notify("jobs")
                    if ended:
                        self._run_in_background(self._list_recent_runs())
            if self.arming is not None and self.arming.armed is not self._armed:
                self._armed = self.arming.armed
                self.notify("rig")
            if self.control is not None:
                control = (self.control.holder, tuple(self.control.viewers()))
                if control != self._control_state:
                    self._control_state = control
                    self.notify("control")

    async def _list_recent_runs(self) -> None:
        """Read the list of recent runs."""
        from dovetail.app import recent_runs

        self.recent_runs = await asyncio.to_thread(recent_runs, self.runs)
        self.notify("recent runs")

    # the test

    async def open(self, name: str) -> str:
        """Open a test or its draft; return an error message if that fails."""
        from dovetail.core.errors import DovetailError

        self.busy = f"Loading {name}"
        self.error = ""
        self.arming.disarm()
        self.notify("document")
        try:
            async with self._lock:
                self.document = await asyncio.to_thread(self.drafts.open, name)
                await self._read()
                self.ranges = await asyncio.to_thread(self._initial_ranges)
        except (DovetailError, OSError, UnicodeDecodeError) as error:
            self.error = str(error)
        self.busy = ""
        self.opened += 1
        if not self.error:
            stored = self._stored_state()
            self.paths = stored.get("sliders", []) if stored.get("test") == name else []
            self.paths = self.paths or default_sliders(self.blocks)
            await self._explore()
            self._store_state()
        self.notify("document")
        self.notify("sliders")
        return self.error

    async def edit(self, change: Callable[[Any], Any]) -> Any:
        """Change the test, save the draft and recompute; return the result of `change` (an error message or empty)."""
        async with self._lock:
            document = self.document
            result = await asyncio.to_thread(change, document)
            await asyncio.to_thread(self.drafts.save, document)
            await self._read()
            await self._explore()
        self.notify("document")
        return result

    async def set_value(self, path: str, text: str) -> str:
        """Set a value in the test; return an error message if it was rejected."""
        return str(await self.edit(lambda document: document.set(path, text)))

    async def _read(self) -> None:
        """Compute blocks, drawing and changes of the document once for all pages."""
        document = self.document

        def read() -> tuple[list[Any], str, str]:
            return document.blocks(), document.drawing(), document.difference()

        self.blocks, self.drawing, self.difference = await asyncio.to_thread(read)

    async def check_value(self, path: str, text: str) -> str:
        """Return the error message for a value without setting it."""
        async with self._lock:
            return await asyncio.to_thread(lambda: copy.deepcopy(self.document).set(path, text))

    # exploration

    async def start_exploring(self) -> None:
        """Start the computation when the Explore tab is opened for the first time."""
        if not self.exploring:
            self.exploring = True
            if self.document is not None:
                await self._explore()

    async def set_sliders(self, paths: list[str]) -> None:
        """Set the parameters that have sliders."""
        self.paths = paths
        await self._explore()
        self._store_state()
        self.notify("sliders")

    async def _explore(self) -> None:
        """Compute the open test in the explore process; restart the process if the test changed."""
        from dovetail.app import ExploreProcess, slider_ranges

        document = self.document
        if document.fault or document.test is None:
            return
        sliders = await asyncio.to_thread(slider_ranges, document.test, self.paths)
        self.sliders = [self._with_range(slider) for slider in sliders]
        self.paths = [slider.path for slider in self.sliders]
        self.values = {slider.path: slider.value for slider in self.sliders}
        table = tomllib.loads(document.text_for(Path()))  # with absolute file paths
        request = (without_values(table, self.paths), tuple(self.paths))
        if not self.exploring:
            return  # Explore is not open: start no process
        if request != self._explored or self.process is None or self.process.state == "gone":
            if self.process is not None:
                await asyncio.to_thread(self.process.close)
            self._explored, self.result, self.map = request, None, None
            self.process = ExploreProcess(table, list(self.paths), document.path.name)
        self.request(self.values)

    def _with_range(self, slider: Any) -> Any:
        """Return a slider with its initial range, extended if the value is outside."""
        low, high = self.ranges.setdefault(slider.path, (slider.low, slider.high))
        self.ranges[slider.path] = low, high = min(low, slider.value), max(high, slider.value)
        return dataclasses.replace(slider, low=low, high=high)

    def _initial_ranges(self) -> dict[str, tuple[float, float]]:
        """Return the slider ranges of all parameters in the unedited file."""
        from dovetail.app import Document, slider_ranges

        document = self.document
        if self.difference:
            document = Document(document.name, document.path, document.original)
        if document.test is None:
            return {}
        sliders = slider_ranges(
            document.test, [value.path for block in self.blocks for value in _all_values(block)]
        )
        return {slider.path: (slider.low, slider.high) for slider in sliders}

    def request(self, values: Mapping[str, float]) -> None:
        """Request a computation with these slider values."""
        self.values = {**self.values, **values}
        if self.process is not None:
            self.process.request(dict(self.values))


def default_sliders(blocks: list[Any]) -> list[str]:
    """Return the parameters with initial sliders: delays first, then damping, stiffness, lag, mass."""
    traced = [value for block in blocks for value in _all_values(block) if value.traced and value.number]
    ranked = [value.path for name in FIRST for value in traced if value.path.rpartition(".")[2] == name]
    return list(dict.fromkeys([*ranked, *(value.path for value in traced)]))[:SLIDERS]


def _all_values(block: Any) -> list[Any]:
    return [*block.values, *(value for inner in block.inner for value in _all_values(inner))]


def without_values(table: Mapping[str, Any], paths: list[str]) -> dict[str, Any]:
    """Return a nested table without the values at some paths."""
    from dovetail.testing.paths import steps

    result = copy.deepcopy(dict(table))
    for path in paths:
        *keys, last = steps(path)
        node: Any = result
        for key in keys:
            with contextlib.suppress(KeyError, IndexError, TypeError):
                node = node[key]
        if isinstance(node, dict):
            node.pop(last, None)
    return result
