"""Check a cell, or the driver of one: does it keep to what a creep test relies on?

Every rule is tried and told with its result. Without `moving` nothing moves: the cell is greeted, read, and asked
things it has to refuse. With it the cell makes a few small moves about the place where it stands, each no longer
than `reach`; keep clear.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable

import numpy as np

from dovetail.testing.pseudodynamic import Cell, Move, Reply
from dovetail.transfer.robot import TripCode


@dataclasses.dataclass(frozen=True)
class Finding:
    """One rule, and whether the cell keeps it."""

    rule: str
    kept: bool
    remark: str = ""

    def __str__(self) -> str:
        mark = "kept  " if self.kept else "BROKEN"
        return f"{mark}  {self.rule}" + (f": {self.remark}" if self.remark else "")


def check_cell(
    cell: Cell,
    *,
    moving: bool = False,
    reach: float = 1e-3,
    execution_time: float = 1.0,
    settling_time: float = 0.5,
) -> list[Finding]:
    """Try every rule on a cell.

    Parameters
    ----------
    moving
        Whether the cell may move.
    reach
        How far from where it stands it may go [m].
    execution_time, settling_time
        Of the small moves [s].
    """
    trials = _Trials(cell, _Small(execution_time, settling_time, reach))
    trials.at_rest()
    if moving and trials.here is not None:
        trials.moving(trials.here)
    return trials.findings


@dataclasses.dataclass(frozen=True)
class _Small:
    """The small moves of a check."""

    execution_time: float  # [s]
    settling_time: float  # [s]
    reach: float  # [m]


class _Trials:
    """The rules, tried one after another on a cell; what came of each is among the findings."""

    def __init__(self, cell: Cell, small: _Small):
        self.cell, self.small = cell, small
        self.run = f"check-{secrets.token_hex(4)}"
        self.here: np.ndarray | None = None  # [m] where the cell stands
        self.findings: list[Finding] = []

    def rule(self, text: str, trial: Callable[[], str | None]) -> None:
        """Try a rule; a trial answers with what is wrong, if anything is."""
        try:
            remark = trial()
        except Exception as error:
            self.findings.append(Finding(text, False, f"{type(error).__name__}: {error}"))
            return
        self.findings.append(Finding(text, remark is None, remark or ""))

    def move(self, number: int, target: np.ndarray) -> Reply:
        return self.cell.move(Move(number, target, self.small.execution_time, self.small.settling_time))

    def at_rest(self) -> None:
        """What can be tried without a move."""
        cell = self.cell

        def stands() -> str | None:
            reply = cell.read()
            self.here = reply.position
            return _wrong(reply, cell.axes)

        self.rule("a run it does not know is answered with nothing", lambda: _none(cell.begin(self.run)))
        self.rule("it can be read at rest", stands)
        if self.here is None:
            return
        here = self.here
        nowhere = np.full_like(here, np.nan)
        self.rule("it does not move while it is read", lambda: _same(cell.read().position, here))
        self.rule("a target that is no number is refused", lambda: _refused(lambda: self.move(1, nowhere)))
        self.rule("a move out of its order is refused", lambda: _refused(lambda: self.move(7, here)))

    def moving(self, here: np.ndarray) -> None:
        """What takes a move away, and one back."""
        cell, near = self.cell, 0.1 * self.small.reach
        step = np.zeros_like(here).ravel()
        step[0] = self.small.reach
        there = here + step.reshape(here.shape)
        rest: dict[str, Reply] = {}

        def goes() -> str | None:
            rest["reply"] = self.move(1, there)
            return _wrong(rest["reply"], cell.axes) or _near(rest["reply"].position, there, near)

        def repeats() -> str | None:
            again, first = self.move(1, there), rest["reply"]
            if again.clock != first.clock or not np.array_equal(again.force, first.force):
                return "it moved or read again"
            return None

        def remembers() -> str | None:
            last = cell.begin(self.run)
            return None if last is not None and last.number == 1 else f"got {last}"

        def goes_on() -> str | None:
            return None if cell.read().clock >= rest["reply"].clock else "it went back"

        def returns() -> str | None:
            back = self.move(2, here)
            return _wrong(back, cell.axes) or _near(back.position, here, near)

        self.rule("it goes where it is sent and rests there", goes)
        self.rule("the same move asked again is answered, not made again", repeats)
        self.rule("a run it knows is answered with its last move", remembers)
        self.rule("its clock goes on", goes_on)
        self.rule("it goes back", returns)


def _none(reply: Reply | None) -> str | None:
    return None if reply is None else f"got an answer to move {reply.number}"


def _wrong(reply: Reply, axes: int) -> str | None:
    if not reply.ok:
        return f"it stopped: {reply.trip.name.lower().replace('_', ' ')}"
    for name, value in (("position", reply.position), ("force", reply.force)):
        if np.size(value) != axes:
            return f"{name} has {np.size(value)} values; the cell has {axes} axes"
        if not np.all(np.isfinite(value)):
            return f"{name} is not finite"
    return None


def _same(a: np.ndarray, b: np.ndarray) -> str | None:
    far = float(np.max(np.abs(a - b)))
    return None if far < 1e-6 else f"it moved by {far:.3g}"


def _near(a: np.ndarray, b: np.ndarray, tolerance: float) -> str | None:
    far = float(np.max(np.abs(a - b)))
    return None if far <= tolerance else f"it is {far:.3g} away from where it was sent"


def _refused(ask: Callable[[], Reply]) -> str | None:
    from dovetail.core.errors import LinkError

    try:
        reply = ask()
    except (LinkError, ValueError):
        return None
    if reply.trip in (TripCode.REFUSED, TripCode.NOT_FINITE):
        return None
    return f"it answered {reply.trip.name.lower()}"
