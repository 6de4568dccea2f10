import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import rolled
from dovetail.mechanics import DrogueHose
from dovetail.mechanics.drogue_hose import vector_rate
from dovetail.mechanics.drogue_receiver import Receiver
from dovetail.mechanics.hose import Hose
from dovetail.mechanics.hose_tow import SwayingTow
from dovetail.mechanics.spatial.rotation import exponential, logarithm

FLYING = DrogueHose(hose=Hose(links=4), receiver=Receiver(offset=0.1, incidence=0.2), tow=SwayingTow())
WRENCH = jnp.array([200.0, 50.0, -300.0, 10.0, -80.0, 40.0])


def shown(flow, t, x, force):
    """Of one program, whatever the state was made of: every number an array of the same type."""
    t, x = jax.tree.map(lambda number: jnp.asarray(number, float), (t, x))
    return _shown(flow, t, x, force)


@eqx.filter_jit
def _shown(flow, t, x, force):
    return flow.output(t, x, {"force": force}), flow.derivative(t, x, {"force": force})


@pytest.fixture(scope="module")
def start():
    return eqx.filter_jit(FLYING.init)()


@pytest.fixture(scope="module")
def moving(start):
    """A state that moves on all axes."""
    q, _ = start
    key = jax.random.key(0)
    q = {**q, "angles": q["angles"] + 0.1 * jax.random.normal(key, (2, 5)), "reeled": jnp.asarray(0.2)}
    return q, {"angles": jax.random.normal(key, (2, 5)), "reeled": jnp.asarray(0.4)}


def test_starts_at_rest_but_for_the_receiver():
    flow = dataclasses.replace(FLYING, receiver=Receiver(offset=0.1, incidence=0.0))
    out, rate = shown(flow, 0.0, eqx.filter_jit(flow.init)(), jnp.zeros(6))
    np.testing.assert_allclose(out["displacement"], 0.0, atol=1e-12)
    np.testing.assert_allclose(out["velocity"], [1.5, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(out["nozzle_pose"], [-0.75, 0, -0.1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(rate[1]["angles"], 0.0, atol=1e-9)
    np.testing.assert_allclose(out["tipping"], 0.0, atol=1e-12)


def test_velocity_and_acceleration_are_those_of_the_displacement(moving):
    t, h = 0.35, 1e-5
    out, rate = shown(FLYING, t, moving, WRENCH)

    def near(step):
        x = jax.tree.map(lambda a, b: a + step * b, moving, rate)
        # places to second order, so that central differences see the acceleration
        places = jax.tree.map(
            lambda a, b, c: a + step * b + 0.5 * step**2 * c, moving[0], rate[0], _second(rate)
        )
        return shown(FLYING, t + step, (places, x[1]), WRENCH)[0]

    ahead, behind = near(h), near(-h)
    velocity = (ahead["displacement"] - behind["displacement"]) / (2 * h)
    acceleration = (ahead["velocity"] - behind["velocity"]) / (2 * h)
    np.testing.assert_allclose(out["velocity"], velocity, atol=1e-6)  # h^2 of the third derivative
    np.testing.assert_allclose(out["acceleration"], acceleration, rtol=1e-5, atol=1e-4)


def _second(rate):
    return {**jax.tree.map(jnp.zeros_like, rate[0]), "angles": rate[1]["angles"], "reeled": rate[1]["reeled"]}


def test_time_since_contact_runs_from_the_first_touch_on(moving):
    _, rate = shown(FLYING, 0.1, moving, jnp.zeros(6))
    assert rate[0]["since_contact"] == 0.0
    _, rate = shown(FLYING, 0.1, moving, WRENCH)
    assert rate[0]["since_contact"] == 1.0
    later = ({**moving[0], "since_contact": jnp.asarray(0.3)}, moving[1])
    _, rate = shown(FLYING, 0.1, later, jnp.zeros(6))
    assert rate[0]["since_contact"] == 1.0


def test_rotation_vector_rate_is_the_derivative_of_the_logarithm():
    phi, w = jnp.array([0.5, -0.3, 0.4]), jnp.array([0.2, 0.7, -0.4])
    slope = jax.jit(lambda v: jax.jacfwd(lambda s: logarithm(exponential(s * w) @ exponential(v)))(0.0))
    for vector in (phi, 0.01 * phi, 0 * phi):
        np.testing.assert_allclose(vector_rate(vector, w), slope(vector), atol=1e-12)


def test_momentum_and_energy_are_what_forces_have_done(start):
    """A swaying tanker, a drum that reels in, a wrench on the drogue: impulse and work account for all of it."""
    method, h = rolled(RK4()), 5e-4

    @jax.jit
    def run(x):
        def one(x, k):
            x, _ = method.step(FLYING, k * h, h, x, {"force": WRENCH}, ())
            return x, FLYING.output(k * h + h, x, {"force": WRENCH})

        return jax.lax.scan(one, x, jnp.arange(600))[1]

    found = run(start)
    assert float(found["reeled_length"][-1]) > 1e-3
    speed = np.linalg.norm(np.gradient(found["drogue_position"], h, axis=0), axis=1).max()
    energy = 0.5 * 17.91 * speed**2
    assert energy > 1  # [J]
    assert np.abs(found["energy_residual"]).max() < 1e-4 * energy
    assert np.abs(found["momentum_residual"]).max() < 1e-4 * 17.91 * speed


def test_in_steady_flight_the_tow_point_carries_everything(start):
    """Forces alone do not cancel; with the tow point's pull they do, so the audit would see it missing."""

    @jax.jit
    def balance(x):
        m, acting, solved = FLYING._solved(0.0, x, jnp.zeros(6))
        return *FLYING.hose.balance(m, acting, solved), acting

    impulse, power, acting = balance(start)
    np.testing.assert_allclose(impulse, 0.0, atol=1e-6)  # steady flight: all forces cancel
    np.testing.assert_allclose(power, 0.0, atol=1e-6)
    assert abs(float(jnp.sum(acting, axis=1)[0])) > 1e3
