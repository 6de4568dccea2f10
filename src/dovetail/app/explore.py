"""The quick answer: what a test does with other values at its knobs, many times a second.

A question is values by path; the answer has the response against the ideal, tracking, how it ended, and how stable it
is. Of a long test the first ticks are computed, and the answer says so. A value that fixes a shape (a rate, a number of
steps) has a test of its own built and compiled once, which is said too.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dovetail.app.explore_result import Answer, Trace
from dovetail.app.fast_rerun import Motion, Swift, share
from dovetail.app.slider_ranges import Knob, knobs
from dovetail.core import signals
from dovetail.core.errors import DovetailError, Fault, ParameterError, TestFileError, unforeseen
from dovetail.testing import Outcome, Runnable
from dovetail.testing.assessment import Stability
from dovetail.testing.paths import declared_at, get, put
from dovetail.testing.test_file import parse
from dovetail.testing.test_table import change

TICKS = 10_000  # of a test that are computed while a slider moves
KEPT = 8  # tests with other shapes that are kept built
SHOWN = {"response": "displacement", "command": "command", "achieved": "achieved_displacement"}
Tell = Callable[[str], None]


class Feel:
    """A test under some knobs. `table` is what its file holds, with the files that it names named in full."""

    def __init__(
        self, table: Mapping[str, Any], paths: Sequence[str], source: str = "test", ticks: int = TICKS
    ):
        self.table, self.source, self.ticks = dict(table), source, ticks
        test = parse(self.table, source)
        if not isinstance(test, Runnable):
            raise ParameterError(f"{source}: nothing in it moves, so there is nothing to feel")
        self.knobs = {knob.path: knob for knob in knobs(test, paths)}
        missing = [path for path in paths if path not in self.knobs]
        if missing:
            raise TestFileError(source, [Fault(path, "is no number that could be moved") for path in missing])
        self._built: dict[tuple[tuple[str, float], ...], Swift] = {}
        self._moving = [knob.path for knob in self.knobs.values() if knob.moves]
        self.test = test
        self.ideal_seconds = math.inf  # that the last ideal took
        self._second = ThreadPoolExecutor(1)

    def answer(
        self, values: Mapping[str, float], number: int = 0, wait: bool = True, tell: Tell | None = None
    ) -> Answer:
        """What the test does with these values, in declared units; knobs that are not named stay as they are.

        Without `wait` an ideal that would have to be computed is left for `ideal`, and the answer says that it is
        `behind`.
        """
        begin, values = time.perf_counter(), {**self.values(), **values}
        try:
            self._check(values)
            swift, moved, said = self._swift(values, tell)
            swift.variant(moved)  # which all need
            whole = wait or swift.knows_ideal(moved)
            ideal = self._second.submit(self._ideal, swift, moved) if whole else None
            answer = self._answered(swift, moved, Answer(number, values, said=said))
            if ideal is not None:
                answer = self._compared(swift, moved, answer, ideal.result())
            else:
                answer = dataclasses.replace(answer, behind=True)
        except DovetailError as error:
            answer = Answer(number, values, fault=str(error))
        except (
            Exception
        ) as error:  # of values that no part foresaw: the next question is answered all the same
            answer = Answer(number, values, fault=unforeseen(error))
        return dataclasses.replace(answer, seconds=time.perf_counter() - begin)

    def ideal(self, answer: Answer) -> Answer:
        """The answer with its ideal, which is computed where it is not there; or with why it has none."""
        try:
            swift, moved, _ = self._swift(answer.values, None)
            return self._compared(swift, moved, answer, self._ideal(swift, moved))
        except Exception as error:  # likewise
            told = str(error) if isinstance(error, DovetailError) else unforeseen(error)
            return dataclasses.replace(answer, behind=False, said=(*answer.said, f"no ideal: {told}"))

    def growths(self, values: Mapping[str, float], path: str, along: Sequence[float]) -> np.ndarray:
        """Growth [1/s] of the loop with each of several values at one path, the others as given."""
        values = {**self.values(), **values}
        self._check(values)
        if self.knobs[path].moves:
            swift, moved, _ = self._swift(values, None)
            return swift.growths([{**moved, path: value} for value in along])
        found = []
        for value in along:
            swift, moved, _ = self._swift({**values, path: value}, None)
            found.append(float(swift.growths([moved])[0]))
        return np.array(found)

    def values(self) -> dict[str, float]:
        """What the knobs are in the test as it is."""
        return {path: knob.value for path, knob in self.knobs.items()}

    def _check(self, values: Mapping[str, float]) -> None:
        faults = []
        for path, value in values.items():
            if path not in self.knobs:
                faults.append(Fault(path, f"is no knob; there are {', '.join(self.knobs)}"))
            elif (about := declared_at(self.test, path)) is not None and (fault := about.fault(value)):
                faults.append(Fault(path, fault))
        if faults:
            raise TestFileError(self.source, faults)

    def _swift(
        self, values: Mapping[str, float], tell: Tell | None
    ) -> tuple[Swift, dict[str, float], tuple[str, ...]]:
        """The test of these shapes, the values that move in it, and what is to be said."""
        fixed = tuple((path, value) for path, value in values.items() if not self.knobs[path].moves)
        said: tuple[str, ...] = ()
        if fixed not in self._built:
            if tell:
                tell("compiling, once")
            changes = {path: value for path, value in fixed if value != self.knobs[path].value}
            test = parse(change(self.table, changes, self.source), self.source) if changes else self.test
            if changes:
                said = (f"compiled anew: {', '.join(changes)} fixes shapes",)
            while len(self._built) >= KEPT:
                self._built.pop(next(iter(self._built)))
            self._built[fixed] = Swift(self._roomy(test, values), self._moving, self.ticks)
        swift = self._built[fixed]
        return swift, {path: value for path, value in values.items() if self.knobs[path].moves}, said

    def _roomy(self, test: Any, values: Mapping[str, float]) -> Any:
        """The test with room for the longest of every delay that moves."""
        for path in self._moving:
            parent, _, name = path.rpartition(".")
            part = get(test, parent) if parent else test
            if name == "delay" and hasattr(part, "longest"):
                longest = max(self.knobs[path].high, values[path], part.longest)
                test = put(test, parent, dataclasses.replace(part, longest=longest))
        return test

    def _answered(self, swift: Swift, moved: dict[str, float], answer: Answer) -> Answer:
        """Response and outlook, side by side (as the ideal) where there are two processors."""
        judged = None if swift.whole.rig is None else self._second.submit(_judgement, swift, moved)
        motion = swift.response(moved)
        demand = motion.signals["displacement"]
        traces = {
            name: _trace(name, signal, motion) for name, signal in SHOWN.items() if signal in motion.signals
        }
        tracking = float("nan")
        achieved = motion.signals.get("achieved_displacement")
        if achieved is not None and motion.outcome is not Outcome.NOT_FINITE:
            tracking = share(demand - achieved, demand)
        whole = swift.whole
        said = answer.said
        if swift.ticks < whole.tick_count:
            said += (f"the first {swift.ticks * whole.dt:.3g} of {whole.duration:g} s",)
        answer = dataclasses.replace(
            answer,
            traces=traces,
            outcome=motion.outcome.value,
            completed=motion.outcome.completed,
            ended=float(motion.times[-1]),
            tracking=tracking,
            shown=swift.ticks * whole.dt,
            duration=whole.duration,
            said=said,
        )
        return answer if judged is None else dataclasses.replace(answer, **_in_words(judged.result(), answer))

    def _ideal(self, swift: Swift, moved: dict[str, float]) -> Motion | None:
        """The ideal, and how long it took where it was not there."""
        if swift.knows_ideal(moved):
            return swift.ideal(moved)
        begin = time.perf_counter()
        found = swift.ideal(moved)
        self.ideal_seconds = time.perf_counter() - begin
        return found

    def _compared(
        self, swift: Swift, moved: dict[str, float], answer: Answer, ideal: Motion | None
    ) -> Answer:
        """The answer with its ideal; as it is, where it has none."""
        if ideal is None:
            return dataclasses.replace(answer, behind=False)
        motion = swift.response(moved)
        number = min(len(ideal.times), len(motion.times))
        perfect = ideal.signals["displacement"]
        error = motion.signals["displacement"][:number] - perfect[:number]
        size = share(error, perfect[:number]) if np.isfinite(error).all() else float("nan")
        wrong = Motion({"displacement": error}, motion.dt, motion.outcome)
        return answer.with_ideal(
            _trace("ideal", "displacement", ideal), _trace("error", "displacement", wrong), size
        )


def _judgement(swift: Swift, moved: dict[str, float]) -> Stability | str:
    """The outlook, or why there is none."""
    try:
        return swift.outlook(moved)
    except DovetailError as error:
        return str(error)


def _in_words(found: Stability | str, answer: Answer) -> dict[str, Any]:
    """What an answer has of an outlook."""
    if isinstance(found, str):
        return {"said": (*answer.said, found)}
    return {
        "stable": None if np.isnan(found.growth_rate) else found.stable,
        "words": str(found),
        "critical_delay": found.critical_delay,
        "margin": found.margin,
        "delay": found.lateness,
        "growth": found.growth_rate,
        "frequency": found.pole_frequency,
        "roots": tuple((root.real, root.imag / (2 * np.pi)) for root in found.roots),
    }


def _trace(name: str, signal: str, motion: Motion) -> Trace:
    known = signals.signal(signal)
    label = {"ideal": "ideal", "error": "error against the ideal"}.get(name, known.label)
    return Trace.of(label, known.unit, motion.times, motion.signals[signal])


def chosen(test: Any) -> list[Knob]:
    """A few knobs that say most of a test: its delay, damping, stiffness, what drives it; to begin with."""
    from dovetail.app.blocks import blocks

    wanted = ("delay", "tau", "c", "damping", "damping_ratio", "k", "stiffness", "amplitude", "share")
    values = [
        value for block in _all(blocks(test, {})) for value in block.values if value.moves and value.number
    ]
    picked = [value.path for name in wanted for value in values if value.name == name]
    rest = [value.path for value in values if not value.path.startswith(("limits.", "method.", "accept."))]
    return knobs(test, list(dict.fromkeys([*picked, *rest]))[:6])


def _all(found: Sequence[Any]) -> list[Any]:
    return [one for block in found for one in (block, *_all(block.inner))]
