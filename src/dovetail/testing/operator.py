"""Operator of a running test: hold, resume, stop, and change tunable parameters.

A test lists the parameters that may be changed while it runs, each with its range::

    [tunable."feedback.measured_fraction"]
    min = 0.0
    max = 1.0
    ramp_time = "2 s"   # for the full range: a change is a ramp, never a step

Each event is stored with the time, the user, and the old and new value: in the `Operator`, in the attribute
`operator_events` of the recording, and during the run as a line of `operator_events.jsonl` in the run folder. Another
process sends a request through `live/operator_requests.jsonl` in that folder, and reads an early outcome there. A
thread beside the loop reads the requests; the loop itself reads no file and does not wait.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import math
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.core import Parameter, Part, parameter, plain_file
from dovetail.core.errors import DovetailError, Fault, OutputError, ParameterError, UnknownNameError
from dovetail.core.units import PARAMETER
from dovetail.testing import paths
from dovetail.testing.outcome import Outcome

if TYPE_CHECKING:
    from dovetail.testing.test import Test

EVENTS_FILE = "operator_events.jsonl"  # file of the operator events in the run folder
LIVE = "live"  # subfolder during the run
REQUESTS_FILE = "operator_requests.jsonl"  # file of the requests from other processes
OUTCOME_FILE = "outcome.json"  # file of an outcome before the run has ended
NOT_TUNABLE = ("rig", "limits", "tunable", "schedule", "pseudodynamic")  # parts that are fixed during a run
MAX_REQUEST = 4096  # [bytes] largest size of a request


class Tunable(Part):
    """Tunable parameter: a parameter of the test that the operator may change during the run."""

    ONE_KIND: ClassVar[bool] = True

    min: Parameter = parameter(PARAMETER, "smallest value, in the unit of the parameter")
    max: Parameter = parameter(PARAMETER, "largest value")
    ramp_time: Parameter = parameter(
        "s",
        "time of a change over the full range; a smaller change takes proportionally less",
        default=1.0,
        above=0.0,
    )

    def step_towards(self, value: ArrayLike, request: ArrayLike, dt: ArrayLike) -> jax.Array:
        """Return the value one tick later: towards the requested value, limited in rate and range."""
        max_change = (self.max - self.min) / self.ramp_time * dt
        target = jnp.clip(jnp.where(jnp.isfinite(request), request, value), self.min, self.max)
        return jnp.asarray(value) + jnp.clip(target - value, -max_change, max_change)


@dataclasses.dataclass(frozen=True)
class OperatorEvent:
    """Operator event: a button press or a change of a tunable parameter."""

    wall_time: str  # UTC
    time: float  # [s] test time
    user: str
    action: str  # hold, resume, stop, set, refused
    path: str = ""
    old: Any = None
    new: Any = None

    @property
    def timestamp(self) -> float:
        """Wall time in seconds since 1970."""
        return datetime.datetime.fromisoformat(self.wall_time).timestamp()

    def __str__(self) -> str:
        change = f" {self.path} from {self.old:g} to {self.new:g}" if self.action == "set" else ""
        reason = f": {self.new}" if self.action == "refused" else ""
        return f"{self.time:.3f} s {self.action}{change}{reason} ({self.user})"


class Operator:
    """Operator controls, usable from any thread. With a `folder`, events are written there."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.stopped = self.held = False
        self.tunables: dict[str, Tunable] = {}
        self.values: dict[str, float] = {}  # requested value of each tunable parameter
        self.events: list[OperatorEvent] = []
        self.now = 0.0  # [s] test time
        self.folder = None if folder is None else Path(folder)
        self._read = 0  # [bytes] of the requests that were read
        self._waiting: list[str] = []  # requests that were read and are not executed yet
        self._outcome_shown = False
        self._lock = threading.Lock()

    def register_tunables(self, test: Test) -> None:
        """Register the tunable parameters of a test with their values in the test."""
        self.tunables, self.values = dict(test.tunable), start_values(test)

    def stop(self, user: str = "program") -> None:
        """Stop the run; the rig returns to rest."""
        self._press_button(user, "stop", "stopped", True)

    def hold(self, held: bool = True, user: str = "program") -> None:
        """Hold the rig and the test time, or resume."""
        self._press_button(user, "hold" if held else "resume", "held", held)

    def set_tunable(self, path: str, value: float, user: str = "program") -> None:
        """Set a tunable parameter; the loop approaches the value within `ramp_time`.

        Raises
        ------
        UnknownNameError
            If the parameter is not tunable.
        ParameterError
            If the value is outside its range.
        """
        if path not in self.tunables:
            raise UnknownNameError("tunable parameter", path, self.tunables)
        low, high = float(self.tunables[path].min), float(self.tunables[path].max)
        if not (math.isfinite(value) and low <= value <= high):
            raise ParameterError(f"{path}: got {value:g}; give a value from {low:g} to {high:g}")
        with self._lock:
            old, self.values[path] = self.values[path], float(value)
            self._add_event(OperatorEvent(_wall_time(), self.now, user, "set", path, old, float(value)))

    def update(self, now: float, stop_only: bool = False) -> None:
        """Set the test time to `now` [s] and execute new requests from the folder.

        With `stop_only`, requests other than a stop wait for the next update.
        """
        self.now = now
        requests, self._waiting = [*self._waiting, *self._new_requests()], []
        for line in requests:
            try:
                if stop_only and json.loads(line)["action"] != "stop":
                    self._waiting.append(line)
                else:
                    self._execute(line)
            except (
                DovetailError,
                ValueError,
                KeyError,
                TypeError,
                AttributeError,
                OverflowError,
                RecursionError,
            ) as error:
                with self._lock:
                    self._add_event(
                        OperatorEvent(_wall_time(), self.now, "unknown", "refused", new=str(error)[:200])
                    )

    def show_outcome(self, outcome: Outcome) -> None:
        """Show the outcome to other processes while the rig returns to rest; the first one remains."""
        if self.folder is None or self._outcome_shown:
            return
        self._outcome_shown = True
        with contextlib.suppress(OSError):  # a full disk must not stop the return to rest
            plain_file.write(self.folder / LIVE / OUTCOME_FILE, json.dumps({"outcome": outcome.name}))

    def events_json(self) -> str:
        """Return all events as JSON, for an attribute of the recording."""
        return json.dumps([dataclasses.asdict(event) for event in self.events])

    def _execute(self, line: str) -> None:
        request = json.loads(line)
        user, action = str(request["user"])[:80], request["action"]
        if action in ("hold", "resume"):
            self.hold(action == "hold", user)
        elif action == "stop":
            self.stop(user)
        elif action == "set":
            self.set_tunable(str(request["path"]), float(request["value"]), user)
        else:
            raise ValueError(f"unknown action: {str(action)[:40]}; give hold, resume, stop or set")

    def _new_requests(self) -> list[str]:
        """Return new complete lines of the request file."""
        if self.folder is None:
            return []
        try:
            with plain_file.open_plain(self.folder / LIVE / REQUESTS_FILE) as file:
                file.seek(self._read)
                text = file.read(64 * MAX_REQUEST)
        except OSError:
            return []
        complete = text[: text.rfind(b"\n") + 1]
        self._read += len(complete)
        return [line for line in complete.decode("utf-8", "replace").splitlines() if line]

    def _press_button(self, user: str, action: str, name: str, value: bool) -> None:
        with self._lock:
            old = getattr(self, name)
            setattr(self, name, value)
            self._add_event(OperatorEvent(_wall_time(), self.now, user, action, "", old, value))

    def _add_event(self, event: OperatorEvent) -> None:
        self.events.append(event)
        if self.folder is None:
            return
        try:
            with (self.folder / EVENTS_FILE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(dataclasses.asdict(event)) + "\n")
        except OSError:
            pass  # a full disk must not stop the test; the recording contains the events as well


def send_request(
    folder: str | Path, action: str, user: str, path: str = "", value: float | None = None
) -> None:
    """Send a request to the operator of the run in `folder`: hold, resume, stop or set."""
    request = {"action": action, "user": user} | ({"path": path, "value": value} if action == "set" else {})
    line = (json.dumps(request) + "\n").encode()
    append = os.O_WRONLY | os.O_APPEND | os.O_CREAT | plain_file.NO_FOLLOW
    handle = os.open(Path(folder) / LIVE / REQUESTS_FILE, append, 0o600)
    try:
        os.write(handle, line)  # in one call, so that lines of two processes do not mix
    finally:
        os.close(handle)


def read_events(folder: str | Path) -> list[OperatorEvent]:
    """Return the operator events of the run in a folder so far.

    Raises
    ------
    OutputError
        If a line of the file is not an operator event.
    """
    file, events = Path(folder) / EVENTS_FILE, []
    try:
        lines = plain_file.read(file).decode("utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{file}: cannot be read ({error}); move it away to continue without it") from error
    for i, line in enumerate(lines[:-1], 1):  # the last line is empty or incomplete
        try:
            events.append(_event_of(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise OutputError(
                f"{file}: line {i} is damaged ({error}); move it away to continue without it"
            ) from error
    return events


def is_held(events: Sequence[OperatorEvent]) -> bool:
    """Return whether a run with these events is held."""
    presses = [event.action for event in events if event.action in ("hold", "resume", "stop")]
    return presses[-1:] == ["hold"]


def is_stopping(events: Sequence[OperatorEvent]) -> bool:
    """Return whether the operator has stopped a run with these events."""
    return any(event.action == "stop" for event in events)


def requested_values(events: Sequence[OperatorEvent]) -> dict[str, float]:
    """Return the newest requested value of each parameter that was changed."""
    return {event.path: float(event.new) for event in events if event.action == "set"}


def _event_of(table: dict[str, Any]) -> OperatorEvent:
    """Return an operator event from its line."""
    event = OperatorEvent(**table)
    words = (event.wall_time, event.user, event.action, event.path)
    numbers = (event.time, event.old, event.new) if event.action == "set" else (event.time,)
    if not all(isinstance(word, str) for word in words) or not all(math.isfinite(n) for n in numbers):
        raise ValueError("not an operator event")
    return event


def start_values(test: Test) -> dict[str, float]:
    """Return the value of each tunable parameter in the test."""
    return {path: float(np.max(paths.get(test, path))) for path in test.tunable}


def apply(test: Test, values: jax.Array) -> Test:
    """Return the test with its tunable parameters at `values`, in their order."""
    return paths.replace_all(test, {path: values[i] for i, path in enumerate(test.tunable)})


def faults(test: Test) -> list[Fault]:
    """Return the faults of the tunable parameters of a test."""
    faults = []
    for path, tunable in test.tunable.items():
        where = f"tunable.{path}"
        if path.split(".")[0] in NOT_TUNABLE:
            faults.append(Fault(where, "rig, limits, schedule and step settings cannot change during a run"))
            continue
        try:
            value = paths.get(test, path)
        except DovetailError as error:
            faults.append(Fault(where, str(error)))
            continue
        if not isinstance(value, jax.Array):
            faults.append(Fault(where, "is not a numeric parameter and cannot change during a run"))
        elif path in test.schedule:
            faults.append(Fault(where, "is also in [schedule]; use one of the two"))
        elif not np.all((np.asarray(value) >= tunable.min) & (np.asarray(value) <= tunable.max)):
            faults.append(
                Fault(where, f"starts at {value}, outside its range from {tunable.min:g} to {tunable.max:g}")
            )
    return faults


def _wall_time() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
