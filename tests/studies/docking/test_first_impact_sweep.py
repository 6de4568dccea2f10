import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.core.parameter_map import converged_values
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def sweep():
    changes = {
        "map.delay": ["0.5 ms", "1 ms", "4 ms"],
        "map.m1": [10.0, 360.466],
        "map.m2": [10.0, 770.0],
        "map.sensor_delay": [2e-4 * np.pi],  # 40,000 rad/s
    }
    parameter_map = testing.load(find_test("docking/robot-by-mass"), changes).map
    return parameter_map, parameter_map.compute()


@pytest.mark.slow  # compiles two dockings, for half a minute
def test_errors_are_those_of_dockings_run_one_by_one(sweep):
    # computed independently with this sensor: 11, 21.5 and 91 % in force, 7, 12.6 and 50 % in depth
    heavy = sweep[1].isel(case=1)
    np.testing.assert_allclose(heavy.force_error, [11.2, 21.5, 90.9], atol=0.3)
    np.testing.assert_allclose(heavy.depth_error, [6.6, 12.6, 49.9], atol=0.3)
    assert float(heavy.ideal_peak_force) == pytest.approx(1370, abs=1)
    assert float(heavy.ideal_duration) == pytest.approx(7.47e-3, abs=2e-5)


@pytest.mark.slow
def test_lighter_bodies_err_more_and_hit_shorter_and_softer(sweep):
    light, heavy = (sweep[1].isel(case=i) for i in range(2))
    for name in ("force_error", "depth_error", "velocity_error"):
        assert np.all(light[name] > heavy[name])
    for name in ("ideal_duration", "ideal_peak_force", "ideal_peak_depth"):
        assert float(light[name]) < float(heavy[name])


@pytest.mark.slow
def test_the_table_names_its_cases_and_warns_of_coarse_steps(sweep):
    parameter_map, data = sweep
    assert "10-10 kg" in parameter_map.summary(data)
    assert "warning" not in parameter_map.summary(data)
    coarse = data.assign(ideal_peak_depth=data.ideal_peak_depth * 1e-3)
    assert "resolution (1 um) is more than 10 % of the penetration" in parameter_map.summary(coarse)


def test_lists_of_different_lengths_are_reported():
    with pytest.raises(TestFileError, match="map.m2 .*2 entries for 3 cases"):
        testing.load(find_test("docking/robot-by-mass"), {"map.m1": [1.0, 2.0, 3.0], "map.m2": [1.0, 2.0]})


@pytest.mark.slow
def test_a_fast_sensor_is_followed_by_short_steps():
    """The sensor of 10 us is 60 times faster than the bounce; its chart had errors of 6e10 %."""
    changes = {"map.delay": ["1 ms"], "map.sensor_delay": ["10 us", "100 us"]}
    sweep = testing.load(find_test("docking/robot-by-sensor"), changes).map
    data, messages = converged_values(sweep.compute(), sweep.refined().compute())
    assert not messages
    np.testing.assert_allclose(data.force_error[0], data.force_error[1], rtol=0.02)
