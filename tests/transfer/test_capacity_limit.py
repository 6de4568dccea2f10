import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import CapacityLimit

SMALL_RIG = CapacityLimit([0.0, 0.64], [410.0, 0.0])  # rating of the small rig as a straight line [m/s], [N]
dt = 1e-3  # [s]


def test_the_speed_falls_along_the_curve():
    np.testing.assert_allclose(
        SMALL_RIG.speed_at(jnp.array([0.0, 205.0, -205.0, 410.0])), [0.64, 0.32, 0.32, 0.0]
    )


def test_beyond_its_force_capacity_the_actuator_stops():
    assert SMALL_RIG.speed_at(411.0) == 0.0
    assert CapacityLimit([0.0, 0.5], [100.0, 100.0]).speed_at(100.1) == 0.0
    assert CapacityLimit([0.0, 0.5], [100.0, 100.0]).speed_at(99.9) == 0.5


@pytest.mark.parametrize(("force", "speed"), [(0.0, 0.64), (205.0, 0.32), (500.0, 0.0)])
def test_a_step_is_followed_at_the_remaining_speed(force, speed):
    part = SMALL_RIG.with_sample_time(dt)

    def step(x, command):
        return part.step(0.0, dt, x, {"command": command, "force": force})

    _, y = jax.lax.scan(step, part.init(), jnp.full(100, 10.0))
    np.testing.assert_allclose(y, speed * dt * np.arange(1, 101), atol=1e-12)


def test_a_slow_demand_is_followed_exactly_on_each_axis():
    part = SMALL_RIG.with_sample_time(dt, (2,))
    u = {"command": jnp.array([1e-4, 1.0]), "force": jnp.array([100.0, 100.0])}
    _, y = part.step(0.0, dt, part.init(), u)
    np.testing.assert_allclose(y, [1e-4, 0.64e-3 * (1 - 100 / 410)])


def test_faults_are_reported():
    with pytest.raises(ParameterError, match="expected speeds that start at 0"):
        CapacityLimit([0.0, 0.64], [0.0, 410.0])
    with pytest.raises(ParameterError, match=r"got \(3,\) speeds and \(2,\) forces"):
        CapacityLimit([0.0, 0.3, 0.64], [410.0, 0.0])
