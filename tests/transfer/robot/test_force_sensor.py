"""The force sensor: weight, bias and lever arm off, noise and drift left, and an end to its range."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys
from dovetail.mechanics.spatial.rotation import about_x, about_y
from dovetail.transfer.robot import ForceTorqueSensor

TOOL = {
    "mass": 17.91,
    "centre": [0.0, 0.0, -0.25],
    "compensation_mass": 17.91,
    "compensation_centre": [0.0, 0.0, -0.25],
}
WRENCH = jnp.array([100.0, -20.0, 300.0, 5.0, 60.0, -7.0])
DOWN = jnp.array([0.0, 0.0, 9.81])


def ready(**changes):
    return assign_keys(ForceTorqueSensor(**changes).with_sample_time(4e-3, (6,)), jax.random.key(1))


step = eqx.filter_jit(lambda sensor, t, x, u: sensor.step(t, 4e-3, x, u))


def run(sensor, wrenches):
    x, out = sensor.init(), []
    for i, wrench in enumerate(wrenches):
        x, y = step(sensor, jnp.asarray(4e-3 * i), x, wrench)  # a plain number would be a program of its own
        out.append(np.asarray(y))
    return np.array(out)


@pytest.mark.parametrize("turn", [jnp.eye(3), about_y(0.7), about_x(-1.2) @ about_y(2.0)], ids=str)
def test_a_known_tool_weight_is_compensated_in_any_orientation(turn):
    sensor = ForceTorqueSensor(**TOOL, origin=[0.1, 0.0, 0.05])
    gravity = turn @ DOWN
    raw = sensor.raw_reading(WRENCH, gravity)
    assert float(jnp.linalg.norm(raw[:3] - WRENCH[:3])) == pytest.approx(175.7, abs=0.1)
    assert np.asarray(sensor.compensate(raw, gravity, jnp.zeros(6))) == pytest.approx(
        np.asarray(WRENCH), abs=1e-10
    )


def test_an_unknown_tool_weight_appears_after_rotation_despite_the_tare():
    sensor = ForceTorqueSensor(mass=17.91, centre=[0.0, 0.0, -0.25])
    tare = sensor.raw_reading(jnp.zeros(6), DOWN)
    turned = about_y(0.1) @ DOWN
    error = sensor.compensate(sensor.raw_reading(jnp.zeros(6), turned), turned, tare)
    assert float(jnp.linalg.norm(error[:3])) == pytest.approx(17.91 * 9.81 * 2 * np.sin(0.05), rel=1e-9)


def test_the_moment_refers_to_the_given_point():
    sensor = ForceTorqueSensor(origin=[0.0, 0.0, 0.5])
    raw = sensor.raw_reading(jnp.array([10.0, 0.0, 0.0, 0.0, 0.0, 0.0]), DOWN)
    assert np.asarray(raw[3:]) == pytest.approx([0.0, -5.0, 0.0])  # -r x f, with r = 0.5 along z
    assert np.asarray(sensor.compensate(raw, DOWN, jnp.zeros(6))[3:]) == pytest.approx([0.0, 0.0, 0.0])


def test_the_tare_removes_the_bias_but_not_the_drift():
    bias = [5.0, -3.0, 8.0, 0.5, 0.2, -0.1]
    sensor = ready(**TOOL, bias=bias, drift=[1.0, 0, 0, 0, 0, 0], tare_samples=5)
    out = run(sensor, [jnp.zeros(6)] * 5 + [WRENCH] * 20)
    assert not np.any(out[:4])
    drifted = 4e-3 * (24 - 2)  # since the middle of the tare
    assert out[-1] == pytest.approx(np.asarray(WRENCH) + drifted * np.eye(6)[0], abs=1e-9)


def test_noise_has_its_given_standard_deviation():
    # 180 draws tell it to a twentieth; five of these are allowed
    sensor = ready(force_noise=0.5, torque_noise=0.05, tare="none", gravity=[0.0, 0.0, 0.0])
    out = run(sensor, [jnp.zeros(6)] * 60)
    assert np.std(out[:, :3]) == pytest.approx(0.5, rel=0.25)
    assert np.std(out[:, 3:]) == pytest.approx(0.05, rel=0.25)
    assert np.array_equal(out, run(sensor, [jnp.zeros(6)] * 60))


def test_the_sensor_saturates_at_its_range():
    sensor = ready(force_range=200.0, torque_range=50.0, tare="none", gravity=[0.0, 0.0, 0.0])
    assert run(sensor, [WRENCH])[0].tolist() == [100.0, -20.0, 200.0, 5.0, 50.0, -7.0]


def test_a_missing_random_key_is_reported():
    with pytest.raises(ParameterError, match="ForceTorqueSensor.key: is empty"):
        ForceTorqueSensor().init()
