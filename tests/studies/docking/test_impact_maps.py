import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.parameter_map import converged_values
from dovetail.mechanics.contact import Aluminium, Polyimide
from dovetail.studies.docking.impact_maps import DelaySweep


@pytest.fixture(scope="module")
def sweep():
    return DelaySweep(
        (Polyimide(), Aluminium()),
        (Aluminium(), Aluminium()),
        m1=jnp.array([30.0, 30.0]),
        m2=jnp.array([75.0, 75.0]),
        speed=jnp.array([0.1, 0.1]),
        delay=[0.4e-3, 1e-3],
        position_resolution=1e-6,
        force_resolution=1.0,
    )


@pytest.mark.slow
def test_errors_over_delay_equal_the_published_ones(sweep):
    data = sweep.compute()
    np.testing.assert_allclose(data.velocity_error.sel(impact=1), [19.24, 52.52], atol=0.1)  # table 5.2
    assert np.all(data.velocity_error.sel(impact=2) > 2 * data.velocity_error.sel(impact=1))
    assert "polyimide on aluminium" in sweep.summary(data)


def test_lists_of_different_length_are_named(sweep):
    short = DelaySweep(sweep.body_1, sweep.body_2[:1], sweep.m1, sweep.m2, sweep.speed, sweep.delay)
    assert [fault.path for fault in short.faults()] == ["map.body_2"]


@pytest.mark.slow
def test_a_fast_sensor_is_followed_by_short_steps(sweep):
    one = DelaySweep(
        sweep.body_1[:1], sweep.body_2[:1], [30.0], [75.0], [0.1], [1e-3], sensor_omega=8 * np.pi / 10e-6
    )
    data, messages = converged_values(one.compute(), one.refined().compute())
    assert not messages
    assert float(data.velocity_error[0, 0]) == pytest.approx(49.0, abs=1.0)  # 49.6 with a sensor of 0.1 ms
