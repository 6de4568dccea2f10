"""The budget of a tick: from known times, and from a run."""

import itertools

import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.links import RealTimeSettings
from dovetail.links.tick_budget import tick_budget


def recorded(compute, exchange, late):
    times = 1e-3 * np.arange(len(compute))
    rows = {"compute_time": compute, "exchange_time": exchange, "tick_lateness": late}
    return xr.Dataset({name: ("time", np.asarray(v)) for name, v in rows.items()}, coords={"time": times})


def test_compute_and_exchange_of_each_tick_are_set_against_its_length():
    found = tick_budget(recorded([9.0, 2e-4, 2e-4, 3e-4], [9.0, 3e-4, 3e-4, 6e-4], [9.0, 0.0, 1e-6, 6e-4]))
    assert found.dt == pytest.approx(1e-3)
    assert found.used[0] == pytest.approx(0.5)  # the first record is the start and no tick
    assert found.used[-1] == pytest.approx(0.9)
    assert found.late_fraction == pytest.approx(1 / 3)
    assert found.fits
    assert "median 50 %" in str(found)
    assert not tick_budget(recorded([0.0, 9e-4], [0.0, 2e-4], [0.0, 0.0])).fits


def test_the_budget_of_a_run_is_measured_per_step(make_cs1, served):
    test = make_cs1(duration=0.2)
    run = test.run_realtime(
        str(served(test).address), real_time=RealTimeSettings(priority=0, lock=False, wait=20.0)
    )
    found = tick_budget(run.data)
    assert found.dt == pytest.approx(test.dt)
    for values in (found.compute, found.exchange, found.lateness):
        assert all(0 <= a <= b for a, b in itertools.pairwise(values))
    assert found.used[0] >= (found.compute[0] + found.exchange[0]) / test.dt * 0.5


def test_a_run_without_ticks_has_no_budget(make_cs1):
    with pytest.raises(AnalysisError, match="real-time run"):
        tick_budget(make_cs1(duration=0.01).rehearse().data)
