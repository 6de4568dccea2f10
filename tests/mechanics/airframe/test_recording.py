import equinox as eqx
import numpy as np
import pytest
import xarray as xr

from dovetail.core import signals

shown_at_start = eqx.filter_jit(lambda aircraft: aircraft.output(0.0, aircraft.init(), None))


@pytest.mark.slow
def test_everything_recorded_is_a_known_signal_and_finite(make):
    for d in (2, 3):
        start = [0.0, 0.8, 0.0] if d == 2 else [0.0, 0.0, 0.8, 0.1, 0.0, 0.0]
        aircraft = make(d, initial_pose=start)
        shown = shown_at_start(aircraft)
        assert set(shown) <= set(signals.all_signals())
        assert all(np.all(np.isfinite(v)) for v in shown.values())


def test_measures_contain_final_position_and_largest_loads(make):
    aircraft = make(2, initial_pose=[0.0, 0.8, 0.0])
    shown = shown_at_start(aircraft)
    both = {k: np.stack([np.asarray(v)] * 2) for k, v in shown.items()}
    data = xr.Dataset(
        {k: (["time", *(f"{k}{i}" for i in range(v.ndim - 1))], v) for k, v in both.items()},
        {"time": [0.0, 1.0]},
    )
    assert "steps" not in aircraft.measures(data)  # the method does not count them
    counted = data.assign(solver_steps=(["time", "counted"], [[0.0, 0.0, 0.0], [7.0, 2.0, 1.0]]))
    found = aircraft.measures(counted)
    assert found["final position"] == "0, 0.8 m"
    assert found["steps"] == "7, 2 rejected, 1 contact events"
