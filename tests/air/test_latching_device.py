"""Bodies at the tip: directions of their forces, lag, trim and stability of the one with fins."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import LaggedDevice, PointDevice, RigidDevice, WingedStage
from dovetail.core import RK4
from dovetail.mechanics.spatial import quaternion

WIND = jnp.array([-170.0, 0.0, 0.0])


def test_drag_lift_and_thrust_of_a_point_device_act_at_the_given_point():
    device = PointDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5, lift_area=2.0, side_area=2.0)
    f = np.asarray(device.force({}, WIND, 0.7, 170.0, jnp.array([0.1, 0.05])))
    q = 0.5 * 0.7 * 170**2
    np.testing.assert_allclose(f, [-8000.0, -q * 0.1, 171.5 + q * 0.2], rtol=1e-4)


def test_sinking_rotates_the_drag_and_so_damps():
    device = PointDevice(mass=150.0, trim_lift=0.0)
    sinking = device.force({}, WIND.at[2].set(5.0), 0.7, 170.0, jnp.zeros(2))  # 5 m/s down: air from below
    assert sinking[2] == pytest.approx(8000 / 170 * 5, rel=2e-3)


def test_stage_has_its_weight_carried():
    f = WingedStage(mass=80e3, drag=50e3).force({}, WIND, 0.7, 170.0, jnp.zeros(2))
    np.testing.assert_allclose(f, [-50e3, 0.0, 80e3 * 9.81])


def settle(device, command, wind=WIND, steps=4000, h=5e-3):
    @jax.jit
    def run(x):
        def one(x, _):
            def slope(x):
                return device.rate(x, wind, 0.7, 170.0, command)

            middle = jax.tree.map(lambda a, b: a + h / 2 * b, x, slope(x))
            return jax.tree.map(lambda a, b: a + h * b, x, slope(middle)), None

        return jax.lax.scan(one, x, None, length=steps)[0]

    return run(device.init())


def test_lagged_device_arrives_at_its_command():
    device = LaggedDevice(mass=150.0)
    x = settle(device, jnp.array([0.1, -0.05]))
    np.testing.assert_allclose(device.attitude(x, None), [0.1, -0.05], atol=1e-6)


def test_finned_device_trims_at_the_commanded_angles_and_levels_its_roll():
    device = RigidDevice(mass=150.0)
    x = settle(device, jnp.array([0.1, -0.05]))
    np.testing.assert_allclose(device.flow_angles(x, WIND), [0.1, -0.05], atol=1e-4)
    # turned about two axes at once, the vector of the rotation differs from them in the third order
    np.testing.assert_allclose(device.attitude(x, None), [0.1, -0.05], atol=0.1**3 / 2)
    assert abs(float(device.roll(x)[0])) < 1e-6


def test_finned_device_turns_into_the_wind_by_itself():
    device = RigidDevice(mass=150.0)
    x = settle(device, jnp.zeros(2), WIND.at[2].set(-10.0))  # downwash
    # it aligns with the flow, which goes down
    assert float(device.attitude(x, None)[0]) == pytest.approx(np.arctan(10 / 170), abs=1e-4)
    np.testing.assert_allclose(device.flow_angles(x, WIND.at[2].set(-10.0)), 0.0, atol=1e-4)


def test_flap_allocation_is_independent_per_axis():
    device = RigidDevice(mass=150.0)
    eta = device.fins()
    effect = jnp.stack([jnp.cos(eta), jnp.sin(eta), jnp.ones(4)]) * device.flap_effect
    np.testing.assert_allclose(effect @ device.allocation(), np.eye(3), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_without_wind_the_finned_device_conserves_angular_momentum(seed):
    rng = np.random.default_rng(seed)
    device = RigidDevice(mass=150.0, inertia=(15.0, 60.0, 40.0), roll_gain=0.0)
    spin = jnp.asarray(2 * rng.normal(size=3))

    @jax.jit
    def turned(spin):
        def one(x, _):
            return RK4.tableau.step(
                lambda _, x: device.rate(x, 1e-9 * WIND, 0.0, 170.0, jnp.zeros(2)), x, 1e-3
            ), None

        return jax.lax.scan(one, {**device.init(), "spin": spin}, None, length=3000)[0]

    x = turned(spin)
    assert np.abs(quaternion.to_vector(x["attitude"])).max() > 0.5  # far beyond small angles
    np.testing.assert_allclose(
        quaternion.rotate(x["attitude"], device.inertia * x["spin"]), device.inertia * spin, rtol=1e-8
    )
