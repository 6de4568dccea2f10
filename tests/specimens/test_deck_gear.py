"""The gear as a specimen."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Euler
from dovetail.mechanics.airframe import ReducedAircraft
from dovetail.specimens import DeckGear

GEAR = DeckGear()
WEIGHT = 50.2383 * 9.81


def motion(displacement=(0,) * 6, velocity=(0,) * 6):
    return {
        name: jnp.asarray(v, float) for name, v in (("displacement", displacement), ("velocity", velocity))
    }


output = jax.jit(lambda z, u: GEAR.output(0.0, z, u))


def test_the_gear_carries_the_weight_at_rest_and_no_force_above_the_deck():
    got = output(GEAR.init(), motion())
    np.testing.assert_allclose(got["force"], [0, 0, WEIGHT, 0, 0, 0], atol=1e-9)
    higher = jax.jit(lambda gear: gear.output(0.0, GEAR.init(), motion()))
    assert float(higher(DeckGear(height=0.25))["force"][2]) < 0  # clamps hold it down
    free = higher(DeckGear(ReducedAircraft(secured=0.0), height=0.25))
    np.testing.assert_allclose(free["force"], 0.0, atol=1e-12)


def test_clamps_and_tilt_push_back():
    side = output(GEAR.init(), motion((0, 1e-3, 0, 0, 0, 0)))["force"]
    assert float(side[1]) == pytest.approx(-4 * 1e5 * 1e-3, rel=0.01)
    assert float(output(GEAR.init(), motion((0, 0, 0, 0.01, 0, 0)))["force"][3]) < 0


def test_bristles_bend_against_the_slip_up_to_their_limit():
    gear = DeckGear(ReducedAircraft(secured=0.0))
    u = motion(velocity=(0.05, 0, 0, 0, 0, 0))

    def step(z, _):
        z, _ = Euler().advance(gear, 0.0, 1e-4, z, u, ())
        return z, None

    @jax.jit
    def slid():
        z, _ = jax.lax.scan(step, gear.init(), None, length=40_000)
        return gear.output(0.0, z, u)["force"]

    force = slid()
    assert float(force[0]) == pytest.approx(-0.4 * WEIGHT, rel=0.02)  # it slides
