import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.studies.refuelling.hung_drogue import HungDrogue, strike_line

RIG = HungDrogue(receiver=strike_line(np.radians(35.0)))


@eqx.filter_jit
def _shown(rig, t, x, force):
    return rig.output(t, x, {"force": force}), rig.derivative(t, x, {"force": force})


def shown(rig, t, x, force):
    return _shown(rig, jnp.asarray(t, float), x, force)


def turned(angles, rates=0.0):
    """The rig turned from where it hangs, and turning."""
    start = RIG.init()
    rope = {"angle": start["rope"]["angle"] + angles, "rate": start["rope"]["rate"] + rates}
    return {**start, "rope": rope}


def test_it_hangs_still():
    out, rate = shown(RIG, 0.0, RIG.init(), jnp.zeros(6))
    np.testing.assert_allclose(
        rate["rope"]["rate"], 0.0, atol=1e-4
    )  # azimuths of the bungees have five digits
    np.testing.assert_allclose(out["end_tension"], (205.0 + 0.5) * 9.81, rtol=0.01)
    np.testing.assert_allclose(out["displacement"], 0.0, atol=1e-12)


def test_the_probe_touches_the_rib_at_the_expected_time_and_position():
    when = RIG.receiver.approach.time_at(0.18)
    out, _ = shown(RIG, when, RIG.init(), jnp.zeros(6))
    place = out["nozzle_pose"][:3]
    np.testing.assert_allclose(place, [-0.4424, 0.0, 0.15], atol=1e-6)
    np.testing.assert_allclose(
        out["velocity"][:3], [np.cos(np.radians(35)), 0.0, np.sin(np.radians(35))], rtol=1e-9
    )


def test_two_masses_have_the_body_s_moments():
    rig = dataclasses.replace(RIG, mass=100.0, centre=0.3, inertia=7.0)
    chain, rope = rig.loaded_chain, rig.chain.mass / rig.chain.n
    mass, l = chain.masses(chain.lengths()[0])[1], chain.last_link
    upper, lower = mass[-2] - rope, mass[-1]
    assert upper + lower == pytest.approx(100.0)
    assert lower * l == pytest.approx(100.0 * 0.3)
    assert lower * l**2 == pytest.approx(7.0 + 100.0 * 0.3**2)


def test_velocity_and_acceleration_are_those_of_the_pose():
    key = jax.random.key(2)
    x = turned(0.1 * jax.random.normal(key, (2, 4)), jax.random.normal(key, (2, 4)))
    force = jnp.array([100.0, 20.0, -80.0, 0.0, 30.0, 10.0])
    out, rate = shown(RIG, 0.25, x, force)
    h = 1e-5

    def near(s):
        first, second = x["rope"]["rate"], rate["rope"]["rate"]
        moved = {"angle": x["rope"]["angle"] + s * first + 0.5 * s**2 * second, "rate": first + s * second}
        return shown(RIG, 0.25 + s, {**x, "rope": moved}, force)[0]

    ahead, behind = near(h), near(-h)
    np.testing.assert_allclose(
        out["velocity"], (ahead["displacement"] - behind["displacement"]) / (2 * h), atol=1e-6
    )
    np.testing.assert_allclose(
        out["acceleration"], (ahead["velocity"] - behind["velocity"]) / (2 * h), rtol=1e-5, atol=1e-4
    )


def test_bungees_pull_it_back_and_cables_aside():
    aside = turned(jnp.zeros((2, 4)).at[0].set(0.05))
    slack = dataclasses.replace(RIG, bungee_force=jnp.zeros(5))
    held, free = (
        shown(rig, 0.0, aside, jnp.zeros(6))[1]["rope"]["rate"][0, -1] for rig in (RIG, slack)
    )  # about y
    assert held < free
    pulled = dataclasses.replace(RIG, side_pull=jnp.array([10.0, 0.0]))
    assert np.abs(shown(pulled, 0.0, RIG.init(), jnp.zeros(6))[1]["rope"]["rate"]).max() > 0.01


def test_momentum_and_energy_equal_impulse_and_work_of_the_forces():
    """Swung aside and struck: what rope and drogue have gained is impulse and work, but for the steps."""
    method, force, h = RK4(), jnp.array([300.0, 40.0, -200.0, 0.0, 30.0, 10.0]), 1e-3

    @jax.jit
    def run(x):
        def one(x, k):
            x, _ = method.step(RIG, k * h, h, x, {"force": force}, ())
            return x, RIG.output(k * h + h, x, {"force": force})

        return jax.lax.scan(one, x, jnp.arange(200))[1]

    found = run(turned(jnp.full((2, 4), 0.1)))
    gained = 0.5 * 205.0 * np.max(np.sum(np.gradient(found["drogue_position"], h, axis=0) ** 2, axis=1))
    assert gained > 50  # [J]
    assert np.abs(found["energy_residual"]).max() < 1e-5 * gained
    assert np.abs(found["momentum_residual"]).max() < 1e-5 * np.sqrt(2 * 205.0 * gained)
