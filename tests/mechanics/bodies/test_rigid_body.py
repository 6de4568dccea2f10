"""Free flight conserves what it must; torque-free spin is judged by scipy and by the closed form."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import RK4, DormandPrince8
from dovetail.mechanics.bodies import BodyState, MassProperties, RigidBody
from dovetail.mechanics.spatial import Pose, Twist, Wrench, quaternion, rotation

BRICK = MassProperties(7.0, [2.0, 3.0, 4.5])
START = BodyState.from_pose(
    Pose(rotation.exponential(jnp.array([0.3, -0.5, 0.9])), jnp.array([1.0, -2.0, 0.5])),
    Twist(jnp.array([0.1, 0.4, -0.2]), jnp.array([0.5, 1.1, -0.6])),  # unsymmetric spin: it tumbles
)


@eqx.filter_jit
def flown(body, method, dt, count, wrench=None):
    def advance(x, _):
        x, _ = method.step(body, 0.0, dt, x, wrench, ())
        return x, x

    return jax.lax.scan(advance, body.init(), None, length=count)[1]


@pytest.mark.parametrize(
    ("method", "dt"), [(RK4(), 5e-3), pytest.param(DormandPrince8(), 0.1, marks=pytest.mark.slow)]
)
def test_free_flight_conserves_momentum_and_energy_to_1e_9(method, dt):
    # 10 s, two turns; measured 3e-11 (RK4 at 5 ms) and 2e-11 (Dormand-Prince 8 at 0.1 s)
    body = RigidBody(BRICK, START)
    path = flown(body, method, dt, round(10 / dt))
    for quantity in (body.momentum, body.angular_momentum, body.kinetic_energy):
        before, during = map(
            np.asarray, jax.jit(lambda path, q=quantity: (q(START), jax.vmap(lambda x: q(x))(path)))(path)
        )
        worst = np.max(np.abs(during - before)) / np.linalg.norm(before)
        assert worst < 1e-9, quantity.__name__


def test_tumbling_agrees_with_scipy():
    def rate(t, y):
        q, w = y[:4], y[4:]
        w_dot = np.linalg.solve(BRICK.inertia, -np.cross(w, BRICK.inertia @ w))
        x = np.concatenate([[0], w])
        product = np.array(
            [
                q[0] * x[0] - q[1:] @ x[1:],
                *(q[0] * x[1:] + x[0] * q[1:] + np.cross(q[1:], x[1:])),
            ]
        )
        return np.concatenate([product / 2, w_dot])

    y0 = np.concatenate([START.q, START.w])
    judge = solve_ivp(rate, (0, 10), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    end = jax.tree.map(lambda a: a[-1], flown(RigidBody(BRICK, START), RK4(), 5e-3, 2000))
    np.testing.assert_allclose(end.w, judge[4:], atol=1e-8)
    np.testing.assert_allclose(quaternion.normalise(end.q), judge[:4], atol=1e-8)


def test_a_symmetric_top_precesses_at_the_rate_of_the_closed_form():
    top = MassProperties(1.0, [1.0, 2.0, 2.0])
    start = BodyState(jnp.zeros(3), quaternion.identity(), jnp.zeros(3), jnp.array([3.0, 0.4, 0.0]))
    t = 2.0
    end = jax.tree.map(lambda a: a[-1], flown(RigidBody(top, start), RK4(), 5e-3, 400))
    turn = (2.0 - 1.0) / 2.0 * 3.0 * t  # (I_y - I_x)/I_y w_x t: how far the cross spin has turned in B
    np.testing.assert_allclose(end.w, [3.0, 0.4 * np.cos(turn), -0.4 * np.sin(turn)], atol=1e-9)


def test_the_quaternion_has_unit_length():
    path = flown(RigidBody(BRICK, START), RK4(), 0.02, 2000)
    assert float(jnp.max(jnp.abs(jnp.linalg.norm(path.q, axis=-1) - 1))) < 1e-7
    # one that starts too long is brought to one at 2 per second
    long = eqx.tree_at(lambda s: s.q, START, 1.05 * START.q)
    path = flown(RigidBody(BRICK, long), RK4(), 0.02, 500)
    assert float(jnp.linalg.norm(path.q[-1])) == pytest.approx(1.0, abs=1e-7)


def test_a_force_accelerates_and_a_moment_spins():
    body = RigidBody(BRICK)
    wrench = Wrench(jnp.array([7.0, 0.0, 0.0]), jnp.array([0.0, 0.0, 4.5]))
    rate = body.derivative(0.0, body.init(), wrench)
    np.testing.assert_allclose(rate.v, [1.0, 0, 0])
    np.testing.assert_allclose(rate.w, [0, 0, 1.0])


def test_power_of_a_wrench_is_the_rate_of_kinetic_energy():
    body = RigidBody(BRICK, START)
    wrench = Wrench(jnp.array([3.0, -2.0, 1.0]), jnp.array([0.7, 0.2, -0.4]))
    _, rate = jax.jvp(body.kinetic_energy, (START,), (body.derivative(0.0, START, wrench),))
    assert float(rate) == pytest.approx(float(wrench.power(START.twist)), rel=1e-13)


def test_body_axis_output_obeys_the_source_equation():
    # b_V' = b_F/m + b_V x b_W, Bondoky 2020 eq. 6.6
    body = RigidBody(BRICK, START)
    wrench = Wrench(jnp.array([3.0, -2.0, 1.0]), jnp.zeros(3))
    rate = body.derivative(0.0, START, wrench)
    shown, along = jax.jvp(lambda x: body.output(0.0, x, wrench)["body_velocity"], (START,), (rate,))
    force = START.pose.R.T @ wrench.f / BRICK.mass
    np.testing.assert_allclose(along, force + jnp.cross(shown, START.w), atol=1e-13)


def test_euler_rates_of_the_output_are_the_derivative_of_its_angles():
    body = RigidBody(BRICK, START)
    rate = body.derivative(0.0, START, None)
    shown = body.output(0.0, START, None)
    _, along = jax.jvp(lambda x: body.output(0.0, x, None)["euler_angles"], (START,), (rate,))
    np.testing.assert_allclose(along, shown["euler_rates"], atol=1e-13)
