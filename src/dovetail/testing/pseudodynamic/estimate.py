"""How long a creep test will take: its contact steps, and what each costs in the cell's time."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dovetail.testing.test import Test


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Moves of a creep test and the time they take, at most or as counted in a dry run."""

    moves: int
    seconds_a_move: float
    counted: bool  # in a dry run with the model of the specimen; else the most there can be

    @property
    def seconds(self) -> float:
        """Of the cell [s]."""
        return self.moves * self.seconds_a_move

    def __str__(self) -> str:
        how = "by a dry run" if self.counted else "at most, if contact is always near"
        return (
            f"estimate  {self.moves} moves of {self.seconds_a_move:g} s: {describe_time(self.seconds)} of the cell's "
            f"time, {how}"
        )


def estimate(test: Test, *, dry_run: bool = False) -> Estimate:
    """Count the moves of a creep test.

    Without a dry run it is the most there can be: a move for every contact step. A dry run goes through the
    test with moves that take a single tick of the virtual cell, which is quick and right but for what the
    specimen's creep changes.
    """
    from dovetail.testing.pseudodynamic.run import creep, with_stepping

    test = with_stepping(test)
    assert test.stepping is not None
    each = sum(test.stepping.times)
    if not dry_run:
        return Estimate(int(np.ceil(test.duration / float(test.stepping.contact_step) - 1e-9)), each, False)
    quick = dataclasses.replace(
        test.stepping,
        scheme="stepwise" if test.stepping.scheme == "continuous" else test.stepping.scheme,
        execution_time=test.stepping.period,
        settling_time=0.0,
        settled=np.inf,
        averaging_time=0.0,
    )
    run = creep(dataclasses.replace(test, stepping=quick))
    return Estimate(int(run.data.attrs["moves"]), each, True)


def describe_time(seconds: float) -> str:
    """A duration in the unit that suits it."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
