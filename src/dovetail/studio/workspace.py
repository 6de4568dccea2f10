"""What all pages of one server share: the test on the desk, what is felt of it, what is done, who holds the controls.

Pages hear of a change by its name (`document`, `knobs`, `answer`, `map`, `jobs`, `past`, `holding`) and show it.
Whatever takes long is in other processes (`studio.beside`, `studio.doing`) or, where it reads files, in a thread.
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

from dovetail.studio.scene import Scenes

EAR = 0.012  # [s] between two looks for an answer
ROUND = 0.25  # [s] between two looks at what changes seldom
FIRST = ("delay", "c", "k", "tau", "m")  # names of parameters that sliders are offered for at first
SLIDERS = 3


class Hears(Protocol):
    """A page that is open, and whose it is."""

    who: str
    owner: str  # the browser

    def heard(self, what: str) -> None:
        """Show what is new."""


class Desk:
    """The state behind the pages; `test` is opened at the beginning, else what was left there (`memory` is a file)."""

    def __init__(self, runs: Path, test: str | None = None, memory: Path | None = None):
        self.runs, self.memory = runs, memory
        self.first = test or self._left().get("test")
        self.scenes = Scenes()
        self.past: list[Any] = []  # what was done lately
        self.document: Any = None
        self.trouble = ""  # why the test that was asked for is not there
        self.busy = ""  # what the desk is waiting for
        self.opened = 0  # how often a test was put on the desk
        self.blocks: list[
            Any
        ] = []  # of the document, its drawing and its difference: the same for every page
        self.drawing = self.difference = ""
        self.paths: list[str] = []  # of the sliders
        self.knobs: list[Any] = []
        self.ranges: dict[str, tuple[float, float]] = {}  # of sliders, by path
        self.values: dict[str, float] = {}  # of the sliders, in SI units
        self.beside: Any = None
        self.state = ""  # of the process beside
        self.felt = False  # whether anybody has looked at it yet
        self.answer: Any = None
        self.map: Any = None
        self.jobs: Any = None
        self.drafts: Any = None
        self.holding: Any = None
        self.pages: set[Hears] = set()
        self._felt: Any = None  # the table and the paths that the process beside has
        self._seen: list[Any] = []
        self._held: Any = None
        self.began = time.time()
        self._tasks: set[asyncio.Task] = set()
        self._turn = asyncio.Lock()

    # pages

    def tell(self, what: str) -> None:
        """Let every page know of a change."""
        for page in tuple(self.pages):
            page.heard(what)

    async def begin(self) -> None:
        """What is done when the server starts; heavy imports wait until the first page could be sent."""
        self._work(self._start())
        self._work(self._listen())

    def _work(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """What is done when it ends."""
        for task in tuple(self._tasks):
            task.cancel()
        self.scenes.close()
        if self.beside is not None:
            self.beside.close()

    def _left(self) -> dict[str, Any]:
        """What was on the desk when it was left."""
        try:
            found = json.loads(self.memory.read_text("utf-8")) if self.memory is not None else {}
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _remember(self) -> None:
        if self.memory is not None and self.document is not None:
            with contextlib.suppress(OSError):
                self.memory.write_text(
                    json.dumps({"test": self.document.name, "sliders": self.paths}), "utf-8"
                )

    async def _start(self) -> None:
        self.busy = "Dovetail is being loaded"

        def load() -> None:
            from dovetail.app import Drafts, Holding, Jobs

            self.drafts, self.jobs, self.holding = Drafts(), Jobs(self.runs), Holding()

        await asyncio.to_thread(load)
        self.busy = ""
        await self._list_past()
        self.tell("jobs")
        self.tell("holding")
        if self.first:
            await self.open(self.first)
        else:
            self.tell("document")

    async def _listen(self) -> None:
        """Look for what the processes beside have found, and tell the pages."""
        count = 0
        while True:
            await asyncio.sleep(EAR)
            count += 1
            with contextlib.suppress(Exception):
                self._look(count % round(ROUND / EAR) == 0)

    def _look(self, seldom_too: bool) -> None:
        if self.beside is not None:
            answer, chart = self.beside.newest(), self.beside.newest_chart()
            if answer is not None and answer is not self.answer:
                self.answer = answer
                self.tell("answer")
            if chart is not None and chart is not self.map:
                self.map = chart
                self.tell("map")
        if seldom_too:
            if self.beside is not None and self.beside.state != self.state:
                self.state = self.beside.state
                self.tell("state")
            if self.jobs is not None:
                seen = [(job.folder, job.state, job.share, job.text) for job in self.jobs.all()]
                if seen != self._seen:
                    ended = [one[:2] for one in seen] != [one[:2] for one in self._seen]
                    self._seen = seen
                    self.tell("jobs")
                    if ended:
                        self._work(self._list_past())
            if self.holding is not None:
                held = (self.holding.holder, tuple(self.holding.lookers()))
                if held != self._held:
                    self._held = held
                    self.tell("holding")

    async def _list_past(self) -> None:
        """Look which runs there are."""
        from dovetail.app import recent

        self.past = await asyncio.to_thread(recent, self.runs)
        self.tell("past")

    # the test

    async def open(self, name: str) -> str:
        """Put a test on the desk, as it was left; why not, in words, or nothing."""
        from dovetail.core.errors import DovetailError

        self.busy = f"{name} is being read"
        self.trouble = ""
        self.tell("document")
        try:
            async with self._turn:
                self.document = await asyncio.to_thread(self.drafts.opened, name)
                await self._read()
                self.ranges = await asyncio.to_thread(self._first_ranges)
        except (DovetailError, OSError, UnicodeDecodeError) as error:
            self.trouble = str(error)
        self.busy = ""
        self.opened += 1
        if not self.trouble:
            left = self._left()
            self.paths = left.get("sliders", []) if left.get("test") == name else []
            self.paths = self.paths or first_sliders(self.blocks)
            await self._feel()
            self._remember()
        self.tell("document")
        self.tell("knobs")
        return self.trouble

    async def edit(self, change: Callable[[Any], Any]) -> Any:
        """Change the test, keep the draft, feel it anew; what the change returned, a fault or nothing."""
        async with self._turn:
            document = self.document
            result = await asyncio.to_thread(change, document)
            await asyncio.to_thread(self.drafts.keep, document)
            await self._read()
            await self._feel()
        self.tell("document")
        return result

    async def put(self, path: str, text: str) -> str:
        """Another value in the test; what is wrong with it, or nothing."""
        return str(await self.edit(lambda document: document.set(path, text)))

    async def _read(self) -> None:
        """What every page shows of the document, once for all."""
        document = self.document

        def read() -> tuple[list[Any], str, str]:
            return document.blocks(), document.drawing(), document.difference()

        self.blocks, self.drawing, self.difference = await asyncio.to_thread(read)

    async def trial(self, path: str, text: str) -> str:
        """What the command line would say of a value, without taking it."""
        async with self._turn:
            return await asyncio.to_thread(lambda: copy.deepcopy(self.document).set(path, text))

    # what is felt

    async def feel(self) -> None:
        """Somebody looks at what is felt: have it computed from now on."""
        if not self.felt:
            self.felt = True
            if self.document is not None:
                await self._feel()

    async def slide(self, paths: list[str]) -> None:
        """Have sliders on these parameters."""
        self.paths = paths
        await self._feel()
        self._remember()
        self.tell("knobs")

    async def _feel(self) -> None:
        """Have the process beside compute the test that is on the desk now."""
        from dovetail.app import Beside, knobs

        document = self.document
        if document.fault or document.test is None:
            return
        found = await asyncio.to_thread(knobs, document.test, self.paths)
        self.knobs = [self._ranged(knob) for knob in found]
        self.paths = [knob.path for knob in self.knobs]
        self.values = {knob.path: knob.value for knob in self.knobs}
        table = tomllib.loads(document.text_for(Path()))  # files that it names are named in full
        wanted = (without(table, self.paths), tuple(self.paths))
        if not self.felt:
            return  # nobody looks: no process is started
        if wanted != self._felt or self.beside is None or self.beside.state == "gone":
            if self.beside is not None:
                await asyncio.to_thread(self.beside.close)
            self._felt, self.answer, self.map = wanted, None, None
            self.beside = Beside(table, list(self.paths), document.path.name)
        self.ask(self.values)

    def _ranged(self, knob: Any) -> Any:
        """A knob over the stretch that it had at first, wider only where its value is outside."""
        low, high = self.ranges.setdefault(knob.path, (knob.low, knob.high))
        self.ranges[knob.path] = low, high = min(low, knob.value), max(high, knob.value)
        return dataclasses.replace(knob, low=low, high=high)

    def _first_ranges(self) -> dict[str, tuple[float, float]]:
        """The stretches of all that may be slid, as the file was before it was edited."""
        from dovetail.app import Document, knobs

        document = self.document
        if self.difference:
            document = Document(document.name, document.path, document.original)
        if document.test is None:
            return {}
        found = knobs(document.test, [value.path for block in self.blocks for value in _all(block)])
        return {knob.path: (knob.low, knob.high) for knob in found}

    def ask(self, values: Mapping[str, float]) -> None:
        """Compute the test at these values of the sliders."""
        self.values = {**self.values, **values}
        if self.beside is not None:
            self.beside.ask(dict(self.values))


def first_sliders(blocks: list[Any]) -> list[str]:
    """Parameters that sliders are offered for at first: delays, then damping, stiffness, lag, mass."""
    moving = [value for block in blocks for value in _all(block) if value.moves and value.number]
    ranked = [value.path for name in FIRST for value in moving if value.path.rpartition(".")[2] == name]
    return list(dict.fromkeys([*ranked, *(value.path for value in moving)]))[:SLIDERS]


def _all(block: Any) -> list[Any]:
    return [*block.values, *(value for inner in block.inner for value in _all(inner))]


def without(table: Mapping[str, Any], paths: list[str]) -> dict[str, Any]:
    """A nested table without the values at these paths."""
    from dovetail.testing.paths import steps

    left = copy.deepcopy(dict(table))
    for path in paths:
        *way, last = steps(path)
        place: Any = left
        for step in way:
            with contextlib.suppress(KeyError, IndexError, TypeError):
                place = place[step]
        if isinstance(place, dict):
            place.pop(last, None)
    return left
