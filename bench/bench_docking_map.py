"""How long does the success map of a docking take: eighty-one dockings in six degrees of freedom?"""

import time

import numpy as np

from dovetail import testing
from dovetail.studies.docking import six_dof
from dovetail.studies.docking.docking_record import outcomes, record
from dovetail.studies.docking.docking_steps import DOCKED, Docking
from dovetail.studies.registry import find_test


def _seconds(call, repeats=3):
    call()  # compile
    best = np.inf
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begun)
    return best


def test_the_map_of_81_dockings(figure):
    chart = testing.load(find_test("docking/map")).chart
    dockings = chart.dockings()

    def whole(duration=chart.duration):
        return {name: np.asarray(values) for name, values in outcomes(dockings, duration).items()}

    docked = int((whole()["ending"] == DOCKED).sum())
    figure(
        "81 dockings in six degrees of freedom, one batch, after compiling",
        _seconds(whole),
        "s",
        target=10.0,
        at_least=False,
        accuracy=f"{docked} of 81 dock, as with steps of 20 us",
    )


def test_one_docking_with_everything_written_down(figure):
    docking = Docking.of(six_dof.published(), six_dof.ball())
    done = record(docking)
    error = np.abs(done.balance / done.balance[0] - 1).max()
    figure(
        "one docking of 13 s with eight impacts, recorded",
        1e3 * _seconds(lambda: record(docking)),
        "ms",
        accuracy=f"energy closes to {error:.0e}",
    )
