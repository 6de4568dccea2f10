"""The airframe over the deck: with the gear's wrench it is the reduced aircraft."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.spatial import quaternion
from dovetail.sea import DeckAirframe, DeckBody, HarmonicDeck
from dovetail.sea.deck_body import deck_feel

DECK = HarmonicDeck(amplitude=[0.1, 0.8, 1.5, 0.25, 0.1, 0.05], omega=0.63, phase=[0, 1, 2, 3, 4, 5])
BODY = DeckBody()
FRAME = DeckAirframe(BODY, DECK, spot=(-45.0, 1.0, 6.0), wind=(0.0, 5.0, 0.0))
rates = jax.jit(lambda t, x, u: FRAME.derivative(t, x, u))
shown = jax.jit(lambda t, x, u: FRAME.output(t, x, u))


@jax.jit
def of_the_whole(t, x):
    """Wrench of the gear of the reduced aircraft, and its rates."""
    feel = deck_feel(DECK, t, FRAME.spot, FRAME.wind)
    acts = BODY.forces(x, feel)
    moments = jnp.cross(acts["place"] - x["position"], acts["total"])
    return jnp.concatenate([jnp.sum(acts["total"], 0), jnp.sum(moments, 0)]), BODY.rate(x, feel)


def state():
    rng = np.random.default_rng(0)
    x = BODY.init()
    q = jnp.array([1.0, 0.02, -0.01, 0.03])
    return {
        **x,
        "position": x["position"] + 0.005 * rng.normal(size=3),
        "attitude": q / jnp.linalg.norm(q),
        "velocity": jnp.asarray(0.1 * rng.normal(size=3)),
        "turning": jnp.asarray(0.1 * rng.normal(size=3)),
        "bristle": jnp.asarray(0.003 * rng.normal(size=(4, 3)) * np.array([1, 1, 0])),
    }


def test_with_the_gears_wrench_it_moves_as_the_reduced_aircraft():
    x, t = state(), 3.3
    wrench, whole = of_the_whole(t, x)
    own = rates(t, {k: v for k, v in x.items() if k in FRAME.init()}, {"force": wrench})
    for name, value in own.items():
        np.testing.assert_allclose(value, whole[name], rtol=1e-9, atol=1e-9, err_msg=name)


def test_velocity_and_acceleration_shown_are_rates_of_the_displacement():
    x = {k: v for k, v in state().items() if k in FRAME.init()}
    u, h = {"force": jnp.array([10.0, 20.0, 500.0, 1.0, 2.0, 3.0])}, 1e-5
    rate = rates(2.0, x, u)

    def after(s):
        return shown(2.0 + s, jax.tree.map(lambda a, b: a + s * b, x, rate), u)

    now, left, right = after(0.0), after(-h), after(h)
    np.testing.assert_allclose(
        now["velocity"], (right["displacement"] - left["displacement"]) / (2 * h), atol=1e-6
    )
    np.testing.assert_allclose(
        now["acceleration"], (right["velocity"] - left["velocity"]) / (2 * h), atol=1e-5
    )


def test_it_starts_at_rest_on_the_deck_and_turns_with_it():
    x = FRAME.init()
    now = shown(0.0, x, {"force": jnp.zeros(6)})
    np.testing.assert_allclose(now["displacement"], 0.0, atol=1e-12)
    np.testing.assert_allclose(now["velocity"], 0.0, atol=1e-12)
    assert float(quaternion.to_matrix(x["attitude"])[2, 2]) == pytest.approx(1.0)
