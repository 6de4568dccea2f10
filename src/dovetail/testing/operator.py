"""The operator of a test that is under way: hold, go on, stop, turn what the test lets be turned.

A test names the parameters that may be changed while it runs, each with its range::

    [dials."feedback.share"]
    least = 0.0
    most = 1.0
    over = "2 s"        # from one end to the other: a turn is a ramp, never a step

Every press is kept with the time, who pressed, the old and the new value: in `Operator.presses`, in the recording's
attribute `presses`, and as a line of `operator.jsonl` in the run's folder while the run goes on. Whoever watches from
another process leaves a wish in `live/wishes.jsonl` of that folder (`wish`); the thread that attends to a loop reads
it there. The loop itself reads no file and waits for nobody.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, parameter
from dovetail.core.errors import DovetailError, Fault, OutputError, ParameterError, UnknownNameError
from dovetail.core.units import PARAMETER
from dovetail.testing import paths

if TYPE_CHECKING:
    from dovetail.testing.test import Test

NAME = "operator.jsonl"  # every press, in the folder of a run
LIVE = "live"  # folder in it, while the run goes on
WISHES = "wishes.jsonl"  # what somebody who watches wants pressed
LONGEST = 4096  # [bytes] of a wish


class Dial(Part):
    """A parameter of the test that the operator may change while it runs."""

    ONE_KIND: ClassVar[bool] = True

    least: jax.Array = parameter(PARAMETER, "smallest value, in the parameter's unit")
    most: jax.Array = parameter(PARAMETER, "largest value")
    over: jax.Array = parameter(
        "s", "from the one to the other: a turn takes its share of this", default=1.0, above=0.0
    )

    def follow(self, value: jax.Array, asked: jax.Array, dt: float) -> jax.Array:
        """The value a tick later: towards what is asked, no faster than allowed, within the range."""
        most = (self.most - self.least) / self.over * dt
        wanted = jnp.clip(jnp.where(jnp.isfinite(asked), asked, value), self.least, self.most)
        return value + jnp.clip(wanted - value, -most, most)


@dataclasses.dataclass(frozen=True)
class Press:
    """One press of one button, or one turn of one dial."""

    clock: str  # UTC
    time: float  # [s] of the test
    who: str
    what: str  # hold, resume, stop, turn, refused
    path: str = ""
    old: Any = None
    new: Any = None

    def __str__(self) -> str:
        change = f" {self.path} from {self.old:g} to {self.new:g}" if self.what == "turn" else ""
        said = f": {self.new}" if self.what == "refused" else ""
        return f"{self.time:.3f} s {self.what}{change}{said} ({self.who})"


class Operator:
    """The operator's buttons and dials; any thread may press them. With a `folder`, presses are written there."""

    def __init__(self, folder: str | Path | None = None):
        self.stopped = self.held = False
        self.dials: dict[str, Dial] = {}
        self.values: dict[str, float] = {}  # what each dial was turned to
        self.presses: list[Press] = []
        self.now = 0.0  # [s] of the test
        self.folder = None if folder is None else Path(folder)
        self._read = 0  # [bytes] of the wishes
        self._lock = threading.Lock()

    def allow(self, test: Test) -> None:
        """Have the dials of a test, each where the test has it."""
        self.dials, self.values = dict(test.dials), start_values(test)

    def stop(self, who: str = "program") -> None:
        """End the run; the rig is led to rest."""
        self._press(who, "stop", "stopped", True)

    def hold(self, held: bool = True, who: str = "program") -> None:
        """Hold the rig where it is, and the test's time; or go on."""
        self._press(who, "hold" if held else "resume", "held", held)

    def turn(self, path: str, value: float, who: str = "program") -> None:
        """Turn a dial; the loop follows in the dial's own time.

        Raises
        ------
        UnknownNameError
            If the test does not let that parameter be turned.
        ParameterError
            If the value is outside its range.
        """
        if path not in self.dials:
            raise UnknownNameError("dial", path, self.dials)
        least, most = float(self.dials[path].least), float(self.dials[path].most)
        if not (math.isfinite(value) and least <= value <= most):
            raise ParameterError(f"{path}: got {value:g}; the test allows {least:g} to {most:g}")
        with self._lock:
            old, self.values[path] = self.values[path], float(value)
            self._keep(Press(_clock(), self.now, who, "turn", path, old, float(value)))

    def attend(self, now: float) -> None:
        """Let it be `now` [s] in the test, and fulfil what was wished for meanwhile."""
        self.now = now
        for line in self._wished():
            try:
                self._fulfil(line)
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
                    self._keep(Press(_clock(), self.now, "unknown", "refused", new=str(error)[:200]))

    def told(self) -> str:
        """All presses as JSON, for a recording's attribute."""
        return json.dumps([dataclasses.asdict(press) for press in self.presses])

    def _fulfil(self, line: str) -> None:
        said = json.loads(line)
        who, what = str(said["who"])[:80], said["what"]
        if what in ("hold", "resume"):
            self.hold(what == "hold", who)
        elif what == "stop":
            self.stop(who)
        elif what == "turn":
            self.turn(str(said["path"]), float(said["value"]), who)
        else:
            raise ValueError(f"no such button: {str(what)[:40]}")

    def _wished(self) -> list[str]:
        """Whole lines that are new."""
        if self.folder is None:
            return []
        try:
            with (self.folder / LIVE / WISHES).open("rb") as file:
                file.seek(self._read)
                text = file.read(64 * LONGEST)
        except OSError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        return [line for line in whole.decode("utf-8", "replace").splitlines() if line]

    def _press(self, who: str, what: str, name: str, value: bool) -> None:
        with self._lock:
            old = getattr(self, name)
            setattr(self, name, value)
            self._keep(Press(_clock(), self.now, who, what, "", old, value))

    def _keep(self, press: Press) -> None:
        self.presses.append(press)
        if self.folder is None:
            return
        try:
            with (self.folder / NAME).open("a", encoding="utf-8") as file:
                file.write(json.dumps(dataclasses.asdict(press)) + "\n")
        except OSError:
            pass  # a full disk stops no test; the recording's attribute has it as well


def wish(folder: str | Path, what: str, who: str, path: str = "", value: float | None = None) -> None:
    """Leave a wish for the operator of the run in `folder`: hold, resume, stop, or turn."""
    said = {"what": what, "who": who} | ({"path": path, "value": value} if what == "turn" else {})
    line = (json.dumps(said) + "\n").encode()
    handle = os.open(Path(folder) / LIVE / WISHES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line)  # at once, so that two who write do not mix their lines
    finally:
        os.close(handle)


def presses(folder: str | Path) -> list[Press]:
    """What was pressed so far in the run of a folder.

    Raises
    ------
    OutputError
        If a line of its file is no press.
    """
    file, found = Path(folder) / NAME, []
    try:
        lines = file.read_text("utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{file}: cannot be read ({error}); move it away to go on without it") from error
    for i, line in enumerate(lines[:-1], 1):  # the last has no line feed yet, or is empty
        try:
            found.append(_pressed(json.loads(line)))
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            raise OutputError(
                f"{file}: line {i} is damaged ({error}); move it away to go on without it"
            ) from error
    return found


def _pressed(told: dict[str, Any]) -> Press:
    """A press from its line."""
    press = Press(**told)
    words = (press.clock, press.who, press.what, press.path)
    numbers = (press.time, press.old, press.new) if press.what == "turn" else (press.time,)
    if not all(isinstance(word, str) for word in words) or not all(math.isfinite(n) for n in numbers):
        raise ValueError("it is no press")
    return press


def start_values(test: Test) -> dict[str, float]:
    """Where the test has each of its dials."""
    return {path: float(np.max(paths.get(test, path))) for path in test.dials}


def apply(test: Test, values: jax.Array) -> Test:
    """The test with its dials at `values`, one for each, in their order."""
    for i, path in enumerate(test.dials):
        test = paths.spread(test, path, values[i])
    return test


def faults(test: Test) -> list[Fault]:
    """What is wrong with the dials of a test."""
    found = []
    for path, dial in test.dials.items():
        place = f"dials.{path}"
        if path.split(".")[0] in ("rig", "limits", "dials", "schedule", "stepping"):
            found.append(Fault(place, "rig, limits and steps stay as they are while a test runs"))
            continue
        try:
            value = paths.get(test, path)
        except DovetailError as error:
            found.append(Fault(place, str(error)))
            continue
        if not isinstance(value, jax.Array):
            found.append(Fault(place, "is no numeric parameter and cannot change in a run"))
        elif path in test.schedule:
            found.append(Fault(place, "follows a schedule already; one of the two"))
        elif not np.all((np.asarray(value) >= dial.least) & (np.asarray(value) <= dial.most)):
            found.append(
                Fault(place, f"starts at {value}; the dial goes from {dial.least:g} to {dial.most:g}")
            )
    return found


def _clock() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
