"""Conformance check of a robot cell, or of its driver, with the requirements of a pseudo-dynamic test.

Each rule is tested and reported with its result. By default the cell does not move: it is opened, read, and receives
requests that it must refuse. With `allow_motion` it makes a few small moves around its present position, each of at
most `max_travel`; keep clear of the cell.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable

import numpy as np

from dovetail.testing.pseudodynamic import Cell, MoveReply, MoveRequest
from dovetail.transfer.robot import TripCode


@dataclasses.dataclass(frozen=True)
class ProtocolCheck:
    """Result of the check of one rule."""

    rule: str
    passed: bool
    remark: str = ""

    def __str__(self) -> str:
        mark = "passed" if self.passed else "FAILED"
        return f"{mark}  {self.rule}" + (f": {self.remark}" if self.remark else "")


def check_cell(
    cell: Cell,
    *,
    allow_motion: bool = False,
    max_travel: float = 1e-3,
    move_time: float = 1.0,
    settling_time: float = 0.5,
) -> list[ProtocolCheck]:
    """Check all rules on a cell.

    Parameters
    ----------
    allow_motion
        Allow the cell to move.
    max_travel
        Largest displacement of a move [m].
    move_time, settling_time
        Durations of each move and of settling after it [s].
    """
    rules = _RuleCheck(cell, _SmallMove(move_time, settling_time, max_travel))
    rules.check_at_rest()
    if allow_motion and rules.position is not None:
        rules.check_moves(rules.position)
    return rules.results


@dataclasses.dataclass(frozen=True)
class _SmallMove:
    """Small move of a check."""

    move_time: float  # [s]
    settling_time: float  # [s]
    max_travel: float  # [m]


class _RuleCheck:
    """Check of all rules on a cell, with their results."""

    def __init__(self, cell: Cell, small: _SmallMove):
        self.cell, self.small = cell, small
        self.run = f"check-{secrets.token_hex(4)}"
        self.position: np.ndarray | None = None  # [m] present position of the cell
        self.results: list[ProtocolCheck] = []

    def check_rule(self, text: str, find_fault: Callable[[], str | None]) -> None:
        """Check a rule; `find_fault` returns the fault or None."""
        try:
            remark = find_fault()
        except Exception as error:
            self.results.append(ProtocolCheck(text, False, f"{type(error).__name__}: {error}"))
            return
        self.results.append(ProtocolCheck(text, remark is None, remark or ""))

    def move(self, number: int, target: np.ndarray) -> MoveReply:
        return self.cell.move(MoveRequest(number, target, self.small.move_time, self.small.settling_time))

    def check_at_rest(self) -> None:
        """Check the rules that need no move."""
        cell = self.cell

        def read() -> str | None:
            reply = cell.read()
            self.position = reply.position
            return _reply_fault(reply, cell.axes)

        self.check_rule("a new run gets an empty reply", lambda: _is_empty(cell.begin(self.run)))
        self.check_rule("the cell can be read at rest", read)
        if self.position is None:
            return
        position = self.position
        not_finite = np.full_like(position, np.nan)
        self.check_rule("reading does not move the cell", lambda: _is_same(cell.read().position, position))
        self.check_rule(
            "a target that is not finite is refused", lambda: _is_refused(lambda: self.move(1, not_finite))
        )
        self.check_rule(
            "a move with a wrong number is refused", lambda: _is_refused(lambda: self.move(7, position))
        )

    def check_moves(self, start: np.ndarray) -> None:
        """Check the rules that need a move and a move back."""
        cell, tolerance = self.cell, 0.1 * self.small.max_travel
        step = np.zeros_like(start).ravel()
        step[0] = self.small.max_travel
        target = start + step.reshape(start.shape)
        replies: dict[str, MoveReply] = {}

        def reaches_target() -> str | None:
            replies["first"] = self.move(1, target)
            fault = _reply_fault(replies["first"], cell.axes)
            return fault or _is_near(replies["first"].position, target, tolerance)

        def repeats() -> str | None:
            again, first = self.move(1, target), replies["first"]
            if again.clock != first.clock or not np.array_equal(again.force, first.force):
                return "the cell moved or measured again"
            return None

        def remembers() -> str | None:
            last = cell.begin(self.run)
            return None if last is not None and last.number == 1 else f"got {last}"

        def clock_increases() -> str | None:
            return None if cell.read().clock >= replies["first"].clock else "the clock went back"

        def returns() -> str | None:
            back = self.move(2, start)
            return _reply_fault(back, cell.axes) or _is_near(back.position, start, tolerance)

        self.check_rule("the cell reaches the target and settles", reaches_target)
        self.check_rule("a repeated request is answered without a move", repeats)
        self.check_rule("a known run gets its last reply", remembers)
        self.check_rule("the clock increases", clock_increases)
        self.check_rule("the cell returns to the start", returns)


def _is_empty(reply: MoveReply | None) -> str | None:
    return None if reply is None else f"got a reply to move {reply.number}"


def _reply_fault(reply: MoveReply, axes: int) -> str | None:
    if not reply.ok:
        return f"the cell stopped: {reply.trip.name.lower().replace('_', ' ')}"
    for name, value in (("position", reply.position), ("force", reply.force)):
        if np.size(value) != axes:
            return f"{name} has {np.size(value)} values; the cell has {axes} axes"
        if not np.all(np.isfinite(value)):
            return f"{name} is not finite"
    return None


def _is_same(a: np.ndarray, b: np.ndarray) -> str | None:
    difference = float(np.max(np.abs(a - b)))
    return None if difference < 1e-6 else f"the cell moved by {difference:.3g}"


def _is_near(a: np.ndarray, b: np.ndarray, tolerance: float) -> str | None:
    difference = float(np.max(np.abs(a - b)))
    return None if difference <= tolerance else f"the position differs by {difference:.3g} from the target"


def _is_refused(request: Callable[[], MoveReply]) -> str | None:
    from dovetail.core.errors import LinkError

    try:
        reply = request()
    except (LinkError, ValueError):
        return None
    if reply.trip in (TripCode.REFUSED, TripCode.NOT_FINITE):
        return None
    return f"the reply was {reply.trip.name.lower()}"
