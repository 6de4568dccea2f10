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

from dovetail.testing.creep import Cell, Move, Reply
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
    findings: list[Finding] = []

    def rule(text: str, trial: Callable[[], str | None]) -> None:
        try:
            remark = trial()
        except Exception as error:
            findings.append(Finding(text, False, f"{type(error).__name__}: {error}"))
            return
        findings.append(Finding(text, remark is None, remark or ""))

    run = f"check-{secrets.token_hex(4)}"
    read: list[Reply] = []

    def stands() -> str | None:
        read.append(cell.read())
        return _wrong(read[0], cell.axes)

    rule("a run it does not know is answered with nothing", lambda: _none(cell.begin(run)))
    rule("it can be read at rest", stands)
    if not read:
        return findings
    here = read[0].position

    def move(number: int, target: np.ndarray) -> Reply:
        return cell.move(Move(number, target, execution_time, settling_time))

    rule("it does not move while it is read", lambda: _same(cell.read().position, here))
    rule(
        "a target that is no number is refused",
        lambda: _refused(lambda: move(1, np.full_like(here, np.nan))),
    )
    rule("a move out of its order is refused", lambda: _refused(lambda: move(7, here)))
    if not moving:
        return findings

    step = np.zeros_like(here).ravel()
    step[0] = reach
    there = here + step.reshape(here.shape)
    rest = {}

    def goes() -> str | None:
        rest["reply"] = move(1, there)
        return _wrong(rest["reply"], cell.axes) or _near(rest["reply"].position, there, 0.1 * reach)

    def repeats() -> str | None:
        again = move(1, there)
        first = rest["reply"]
        if again.clock != first.clock or not np.array_equal(again.force, first.force):
            return "it moved or read again"
        return None

    def remembers() -> str | None:
        last = cell.begin(run)
        return None if last is not None and last.number == 1 else f"got {last}"

    def returns() -> str | None:
        back = move(2, here)
        return _wrong(back, cell.axes) or _near(back.position, here, 0.1 * reach)

    rule("it goes where it is sent and rests there", goes)
    rule("the same move asked again is answered, not made again", repeats)
    rule("a run it knows is answered with its last move", remembers)
    rule("its clock goes on", lambda: None if cell.read().clock >= rest["reply"].clock else "it went back")
    rule("it goes back", returns)
    return findings


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
