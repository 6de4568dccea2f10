"""Process that explores a test for a page: it holds the compiled test and computes the newest request first.

The page sends a request and continues; slow work (reading, compiling, reference solutions) is done in this process at
a lower priority than any control loop. A newer request replaces a waiting one. A slow reference solution is computed
when no request is waiting, and the result is sent again with it. The process ends with the page or its parent process.

The matrices are small, so threads for linear algebra cost several times what they save. The number of threads is set
to one before NumPy is loaded, because NumPy reads it only once. Therefore this module imports nothing that loads NumPy.
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
    from dovetail.app.explore_result import ExploreResult
    from dovetail.app.stability_map import StabilityMap

NICE = 5  # increment of the nice value (lower priority)
THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
)  # set to one, unless the environment sets them
AT_ONCE = 0.03  # [s] a reference solution that takes less is sent with its result
REST = 0.15  # [s] without a request before a slow reference solution is computed


class ExploreProcess:
    """Client of the process, used by the page. All calls return immediately.

    Attributes
    ----------
    state
        "starting", "compiling", "ready", or "gone": the process has ended; `fault` contains the reason.
    """

    def __init__(self, table: Mapping[str, Any], paths: Sequence[str], source: str = "test"):
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self.process = context.Process(
            target=serve, args=(other, dict(table), list(paths), source), daemon=True, name="dovetail-explore"
        )
        self.process.start()
        other.close()
        self.state, self.fault = "starting", ""
        self._number = 0
        self._result: ExploreResult | None = None
        self._map: StabilityMap | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def request(self, values: Mapping[str, float]) -> int:
        """Request these values, in declared units; return the request number, which the result repeats."""
        self._number += 1
        self._send(("request", self._number, dict(values)))
        return self._number

    def newest(self) -> ExploreResult | None:
        """Return the newest result; None before the first."""
        return self._result

    def request_map(
        self,
        first: str,
        second: str,
        values: Mapping[str, float],
        size: int,
        ranges: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        """Request the stability map over two sliders with the given ranges; `values` are those of the other sliders.

        An unfinished older map is abandoned.
        """
        self._map = None
        self._send(("chart", first, second, dict(values), size, ranges))

    def newest_map(self) -> StabilityMap | None:
        """Return the newest map, with the rows computed so far."""
        return self._map

    def wait(self, number: int, with_reference: bool = False, seconds: float = 600.0) -> ExploreResult | None:
        """Wait for the result of a request or of a newer one; if `with_reference`, with its reference solution.

        For scripts and tests. Returns None if the process has ended or after `seconds` [s].
        """
        with self._changed:
            self._changed.wait_for(lambda: self.state == "gone" or self._has(number, with_reference), seconds)
            return self._result if self._has(number, with_reference) else None

    def _has(self, number: int, with_reference: bool) -> bool:
        result = self._result
        return (
            result is not None
            and result.number >= number
            and not (with_reference and result.reference_pending)
        )

    def close(self) -> None:
        """End the process."""
        self._send(("close",))
        self.process.join(2.0)
        if self.process.is_alive():
            self.process.terminate()

    def _send(self, message: tuple[Any, ...]) -> None:
        with contextlib.suppress(OSError, ValueError):  # the process has ended; the listener reports it
            self._pipe.send(message)

    def _listen(self) -> None:
        try:
            while True:
                topic, value = self._pipe.recv()
                with self._changed:
                    if topic == "result":
                        self._result = value
                    elif topic == "map":
                        self._map = value
                    elif topic == "fault":
                        self.fault = value
                    else:
                        self.state = value
                    self._changed.notify_all()
        except (EOFError, OSError):
            with self._changed:
                self.state = "gone"
                self.fault = self.fault or "the computing process has ended; change a value to restart it"
                self._changed.notify_all()


def serve(pipe: Connection, table: dict[str, Any], paths: list[str], source: str) -> None:
    """Compute requests until the pipe is closed."""
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        if hasattr(os, "nice"):
            os.nice(NICE)
        for name in (*THREADS, "DOVETAIL_PROCESS"):  # the last: cache of programs, see core/programs
            os.environ.setdefault(name, "1")
        RequestLoop(pipe, table, paths, source).loop()


class RequestLoop:
    """Request loop inside the process."""

    def __init__(self, pipe: Connection, table: dict[str, Any], paths: list[str], source: str):
        from dovetail.app.explore import Explorer
        from dovetail.core.errors import DovetailError

        self.pipe = pipe
        self.pending: tuple[int, dict[str, float]] | None = None  # newest request
        self.awaiting_reference: ExploreResult | None = None  # result that waits for its reference solution
        self.map: Any = None  # remaining rows
        self.send_state("compiling")
        try:
            self.explorer = Explorer(table, paths, source)
        except DovetailError as error:
            pipe.send(("fault", str(error)))
            raise EOFError from error

    def loop(self) -> None:
        """Process in order of priority: newest request, pending reference solution, next row of a map."""
        self.compute(0, {})
        self.send_reference()  # compile before the first request
        self.send_state("ready")
        while self.read_messages():
            if self.pending is not None:
                (number, values), self.pending = self.pending, None
                self.compute(number, values)
                self.send_state("ready")
            elif self.awaiting_reference is not None:
                self.send_reference()
            elif self.map is not None:
                row = next(self.map, None)
                self.map = self.map if row is not None else None
                if row is not None:
                    self.pipe.send(("map", row))

    def read_messages(self) -> bool:
        """Read all waiting messages, block if there is no work; return False at the end."""
        idle = self.pending is None and self.awaiting_reference is None and self.map is None
        while idle or self.pipe.poll(
            REST if self.pending is None and self.awaiting_reference is not None else 0.0
        ):
            message = self.pipe.recv()
            idle = False
            if message[0] == "close":
                return False
            if message[0] == "request":
                self.pending = message[1:]
            else:
                from dovetail.app.stability_map import compute_map

                self.map = compute_map(self.explorer, *message[1:])
        return True

    def compute(self, number: int, values: dict[str, float]) -> None:
        """Compute a request; store the result if its reference solution is pending."""
        quick = self.explorer.reference_time < AT_ONCE
        result = self.explorer.compute(
            values, number, wait=quick, report=lambda _: self.send_state("compiling")
        )
        self.pipe.send(("result", replace(result, number=number)))
        self.awaiting_reference = result if result.reference_pending else None

    def send_reference(self) -> None:
        """Compute and send the pending reference solution, if any."""
        if self.awaiting_reference is not None:
            result, self.awaiting_reference = self.awaiting_reference, None
            self.pipe.send(("result", self.explorer.add_reference(result)))

    def send_state(self, state: str) -> None:
        """Send the state to the page."""
        self.pipe.send(("state", state))
