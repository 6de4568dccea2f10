"""The process beside the page that feels a test: it holds the compiled test, and answers the newest question first.

A page asks and goes on; whatever takes long (reading, compiling, an ideal) happens here, at a lower priority than any
loop. Questions that wait are dropped when a newer one comes. An ideal that takes long is computed when the questions
rest, and the answer comes again with it. The process ends with the page, or with whoever made it.

Its matrices are small, and threads for them cost several times what they save: it says so before NumPy is loaded,
which asks once. So nothing is imported here that would load it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail.app.explore_result import Answer
    from dovetail.app.stability_map import StabilityMap

NICE = 5  # how far it makes way for others
THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
)  # one each, where nobody says otherwise
AT_ONCE = 0.03  # [s] an ideal that takes no longer comes with its answer
REST = 0.15  # [s] without a question after which an ideal that takes long is begun


class Beside:
    """A test that is felt, as the page sees it. All calls return at once.

    Attributes
    ----------
    state
        "starting", "compiling", "ready", or "gone": the process has ended, and `fault` says why.
    """

    def __init__(self, table: Mapping[str, Any], paths: Sequence[str], source: str = "test"):
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self.process = context.Process(
            target=serve, args=(other, dict(table), list(paths), source), daemon=True, name="dovetail-beside"
        )
        self.process.start()
        other.close()
        self.state, self.fault = "starting", ""
        self._number = 0
        self._answer: Answer | None = None
        self._map: StabilityMap | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, values: Mapping[str, float]) -> int:
        """Ask for these values, in declared units; the number of the question, which its answer has."""
        self._number += 1
        self._send(("ask", self._number, dict(values)))
        return self._number

    def newest(self) -> Answer | None:
        """The newest answer; None before the first."""
        return self._answer

    def chart(
        self,
        first: str,
        second: str,
        values: Mapping[str, float],
        size: int,
        stretches: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Ask for the stability map of two knobs over their stretches, the others as given.

        An older map is left unfinished.
        """
        self._map = None
        self._send(("chart", first, second, dict(values), size, stretches))

    def newest_chart(self) -> StabilityMap | None:
        """The newest map, with the rows that are there."""
        return self._map

    def wait(self, number: int, whole: bool = False, seconds: float = 600.0) -> Answer | None:
        """Wait for the answer to a question, or a newer one; with its ideal, if the `whole` is wanted.

        For scripts and tests; None where the process has ended, or after so long.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.state == "gone" or self._has(number, whole), seconds)
            return self._answer if self._has(number, whole) else None

    def _has(self, number: int, whole: bool) -> bool:
        answer = self._answer
        return answer is not None and answer.number >= number and not (whole and answer.behind)

    def close(self) -> None:
        """End the process."""
        self._send(("close",))
        self.process.join(2.0)
        if self.process.is_alive():
            self.process.terminate()

    def _send(self, message: tuple[Any, ...]) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has gone, which the listener says
            self._pipe.send(message)

    def _listen(self) -> None:
        try:
            while True:
                what, value = self._pipe.recv()
                with self._changed:
                    if what == "answer":
                        self._answer = value
                    elif what == "map":
                        self._map = value
                    elif what == "fault":
                        self.fault = value
                    else:
                        self.state = value
                    self._changed.notify_all()
        except (EOFError, OSError):
            with self._changed:
                self.state = "gone"
                self.fault = self.fault or "the process that computes has ended; start it again"
                self._changed.notify_all()


def serve(pipe: Connection, table: dict[str, Any], paths: list[str], source: str) -> None:
    """Answer questions until there is nobody to ask them."""
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        if hasattr(os, "nice"):
            os.nice(NICE)
        for name in THREADS:
            os.environ.setdefault(name, "1")
        Answering(pipe, table, paths, source).loop()


class Answering:
    """The side of the process."""

    def __init__(self, pipe: Connection, table: dict[str, Any], paths: list[str], source: str):
        from dovetail.app.explore import Feel
        from dovetail.core.errors import DovetailError

        self.pipe = pipe
        self.question: tuple[int, dict[str, float]] | None = None
        self.behind: Answer | None = None  # whose ideal is still to be computed
        self.map: Any = None  # rows that are still to come
        self.tell("compiling")
        try:
            self.feel = Feel(table, paths, source)
        except DovetailError as error:
            pipe.send(("fault", str(error)))
            raise EOFError from error

    def loop(self) -> None:
        """One thing after another: the newest question, a late ideal, a row of a map."""
        self.answer(0, {})
        self.late_ideal()  # compiled now, while nobody moves anything yet
        self.tell("ready")
        while self.read():
            if self.question is not None:
                (number, values), self.question = self.question, None
                self.answer(number, values)
                self.tell("ready")
            elif self.behind is not None:
                self.late_ideal()
            elif self.map is not None:
                row = next(self.map, None)
                self.map = self.map if row is not None else None
                if row is not None:
                    self.pipe.send(("map", row))

    def read(self) -> bool:
        """Take all messages that are there, and wait for one where there is nothing to do; False at the end."""
        idle = self.question is None and self.behind is None and self.map is None
        while idle or self.pipe.poll(REST if self.question is None and self.behind is not None else 0.0):
            message = self.pipe.recv()
            idle = False
            if message[0] == "close":
                return False
            if message[0] == "ask":
                self.question = message[1:]
            else:
                from dovetail.app.stability_map import charted

                self.map = charted(self.feel, *message[1:])
        return True

    def answer(self, number: int, values: dict[str, float]) -> None:
        """Answer a question, and remember what is left of it."""
        quick = self.feel.ideal_seconds < AT_ONCE
        found = self.feel.answer(values, number, wait=quick, tell=lambda _: self.tell("compiling"))
        self.pipe.send(("answer", replace(found, number=number)))
        self.behind = found if found.behind else None

    def late_ideal(self) -> None:
        """The ideal that the last answer went without, if it did."""
        if self.behind is not None:
            answer, self.behind = self.behind, None
            self.pipe.send(("answer", self.feel.ideal(answer)))

    def tell(self, state: str) -> None:
        """Say what goes on."""
        self.pipe.send(("state", state))
