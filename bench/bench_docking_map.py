"""Time for the success map of a docking: 81 dockings in six degrees of freedom."""

import time

import numpy as np
from sizes import sized

from dovetail import testing
from dovetail.studies.docking import six_dof
from dovetail.studies.docking.docking_record import outcomes, record
from dovetail.studies.docking.docking_steps import DOCKED, DockingSystem
from dovetail.studies.registry import find_test


def _seconds(call):
    """Return the shortest time [s] of some calls, after one that compiles."""
    call()
    best = np.inf
    for _ in range(sized(3, 1)):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


def test_map_of_81_dockings(figure):
    chart = testing.load(find_test("docking/map")).map
    dockings, duration = chart.dockings(), sized(chart.duration, 1.0)

    def compute():
        return {name: np.asarray(values) for name, values in outcomes(dockings, duration).items()}

    docked = int((compute()["ending"] == DOCKED).sum())
    figure(
        f"81 dockings of {duration:g} s in six degrees of freedom, one batch, already compiled",
        _seconds(compute),
        "s",
        target=10.0,
        at_least=False,
        accuracy=f"{docked} of 81 dock" + sized(", as with steps of 20 us", ""),
    )


def test_one_docking_with_all_signals_recorded(figure):
    docking = DockingSystem.of(six_dof.published(), six_dof.ball())
    until = sized(20.0, 2.0)  # [s]
    recorded = record(docking, until)
    error = np.abs(recorded.balance / recorded.balance[0] - 1).max()
    figure(
        f"one docking of {recorded.time[-1]:.0f} s with {len(recorded.impacts)} impacts, all signals recorded",
        1e3 * _seconds(lambda: record(docking, until)),
        "ms",
        accuracy=f"energy balance within {error:.0e}",
    )
