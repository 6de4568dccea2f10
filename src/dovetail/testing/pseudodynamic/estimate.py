"""Duration of a pseudo-dynamic test: number of moves and time of each."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from dovetail.testing.pseudodynamic.settings import with_settings

if TYPE_CHECKING:
    from dovetail.testing.test import Test


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Moves of a pseudo-dynamic test and their time: an upper bound, or counted in a dry run."""

    moves: int
    seconds_per_move: float
    counted: bool  # in a dry run with the model of the specimen; otherwise an upper bound

    @property
    def seconds(self) -> float:
        """Total time of the cell [s]."""
        return self.moves * self.seconds_per_move

    def __str__(self) -> str:
        basis = "by a dry run" if self.counted else "at most, if the contact gate is always open"
        return (
            f"estimate  {self.moves} moves of {self.seconds_per_move:g} s: {format_duration(self.seconds)} of cell "
            f"time, {basis}"
        )


def estimate_duration(test: Test, *, dry_run: bool = False) -> Estimate:
    """Return the number of moves of a pseudo-dynamic test and their time.

    Without a dry run it is an upper bound: a move for every contact step. A dry run computes the test with moves of
    one tick of the simulated cell; its count is exact except for effects of material creep.
    """
    test = with_settings(test)
    settings = test.pseudodynamic
    assert settings is not None
    seconds = sum(settings.times)
    if not dry_run:
        return Estimate(int(np.ceil(test.duration / float(settings.contact_step) - 1e-9)), seconds, False)
    quick = dataclasses.replace(
        settings,
        scheme="stepwise" if settings.scheme == "continuous" else settings.scheme,
        move_time=settings.control_period,
        settling_time=0.0,
        position_tolerance=np.inf,
        averaging_time=0.0,
    )
    run = dataclasses.replace(test, pseudodynamic=quick).run_pseudodynamic()
    return Estimate(int(run.recording.attrs["moves"]), seconds, True)


def format_duration(seconds: float) -> str:
    """Format a duration [s] in s, min or h."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
