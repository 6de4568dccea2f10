"""The reduced aircraft: rest, slip angles, the device's load, the deck's own frame."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.flow_adapters import LinearInput
from dovetail.mechanics.airframe import DeckMotion, ReducedAircraft, deck_motion
from dovetail.mechanics.airframe.reduced_aircraft import OnDeck
from dovetail.mechanics.bodies import BodyState
from dovetail.mechanics.motion import HarmonicMotion
from dovetail.mechanics.spatial import MovingFrame, Pose, Twist

BODY = ReducedAircraft()
N = 101  # samples, 0.05 s apart


def free(stiffness=6675.0, **values):
    values = {"secured": 0.0} | values
    body = eqx.tree_at(lambda b: b.law.stiffness.k, BODY, jnp.asarray(stiffness, float))
    return eqx.tree_at(
        lambda b: [getattr(b, k) for k in values], body, [jnp.asarray(v, float) for v in values.values()]
    )


def tilted(angle):
    """A deck that slowly rolls, port up, to `angle` [rad] and stays."""
    roll = angle * jnp.clip(jnp.linspace(0.0, 1.5, N), 0.0, 1.0)
    felt = 9.81 * jnp.stack([0 * roll, jnp.sin(roll), jnp.cos(roll)], 1)
    zero = jnp.zeros((N, 3))
    return DeckMotion(MovingFrame(felt, zero, zero), zero)


run = eqx.filter_jit(lambda body, deck: body.run(deck, 0.05, 10))


def test_on_a_fixed_deck_the_aircraft_rests_and_clamps_carry_their_preload():
    worst, _ = run(BODY, tilted(0.0))
    assert float(worst.slip) < 1e-9
    assert float(worst.foot_load) == pytest.approx(50.2383 * 9.81 / 4, rel=1e-6)
    assert float(worst.securing_load) == pytest.approx(40.0, rel=1e-6)


def test_at_rest_forces_have_a_slope_by_every_part_of_the_state():
    """A hybrid test is linearised where it starts: bristles that are not bent have no direction, but a stiffness."""
    still = DeckMotion(MovingFrame(jnp.array([0.0, 0.0, 9.81]), *(jnp.zeros(3),) * 2), jnp.zeros(3))
    slopes = jax.jit(jax.jacfwd(lambda x: BODY.forces(x, still)["total"]))(BODY.init())
    assert all(np.all(np.isfinite(slope)) for slope in jax.tree.leaves(slopes))
    np.testing.assert_allclose(slopes["bristle"][0, 0, 0, 0], BODY.friction.stiffness, rtol=1e-9)


@pytest.mark.slow
def test_the_aircraft_slides_above_the_friction_angle_only():
    rough = eqx.tree_at(
        lambda b: (b.friction.mu_kinetic, b.friction.mu_static), free(), (jnp.full((), 0.5, float),) * 2
    )
    assert (
        float(run(rough, tilted(np.arctan(0.45)))[0].slip) < 0.06
    )  # bristles of 3 kN/m bend by some centimetres
    assert float(run(rough, tilted(np.arctan(0.55)))[0].slip) > 0.1
    # bristles that bend faster than the Stribeck speed of 1 mm/s do not reach their stiction of 0.9: it slides early
    assert float(run(free(), tilted(np.arctan(0.6)))[0].slip) > 0.1


@pytest.mark.slow
def test_a_secured_aircraft_does_not_slide_and_clamps_and_friction_share_the_load():
    # stiff straight legs, so that it does not lean and all feet share alike
    worst, _ = run(free(secured=1.0, splay=0.0, stiffness=6e4), tilted(0.6))
    side = 50.2383 * 9.81 * np.sin(0.6)
    assert float(worst.slip) < 2e-3
    # four clamps, 100 kN/m each beside bristles of 3 kN/m, and a preload of 40 N that way
    assert float(worst.securing_load) == pytest.approx(side / 4 * 1e5 / (1e5 + 3e3) + 40.0, rel=0.03)


def test_a_narrow_aircraft_topples_at_the_angle_of_the_moment_balance():
    narrow = eqx.tree_at(
        lambda b: b.feet, free(splay=0.0, stiffness=6e4), BODY.feet * jnp.array([1.0, 0.3, 1.0])
    )
    sticky = eqx.tree_at(lambda b: b.friction.mu_kinetic, narrow, jnp.asarray(0.9, float))
    # half track 0.105 m under a centre 0.45 m high: 0.23 rad, less what the feet give
    assert float(run(sticky, tilted(0.15))[0].tilt) < 0.1
    assert float(run(sticky, tilted(0.3))[0].tilt) > 0.5


@pytest.mark.slow
def test_results_are_equal_in_deck_and_earth_frames():
    # a body that flies free over a turning deck goes straight in space
    ship = HarmonicMotion(amplitude=[0, 0.5, 1.0, 0.2, 0.1, 0.3], omega=0.9, phase=[0, 0.3, 1, 2, 3, 4])
    spot, t = jnp.array([-40.0, 2.0, 6.0]), jnp.linspace(0.0, 1.0, 101)
    deck = jax.vmap(lambda t: deck_motion(ship, t, spot, jnp.zeros(3)))(t)
    body = free()
    state = ship.state(0.0)
    R, w = state.pose.R, state.twist.w
    height = jnp.array([0.0, 0.0, 20.0])
    turning = Twist(jnp.zeros(3), R.T @ w)  # with the ship at first
    start = {**body.init(), "body": BodyState.from_pose(Pose(p=height), turning)}

    def one(x, ends):
        flow = LinearInput(OnDeck(body), 0.0, 0.01, *ends)
        return RK4().advance(flow, 0.0, 0.01, x, None, ())[0], None

    ends = jax.tree.map(lambda a: a[:-1], deck), jax.tree.map(lambda a: a[1:], deck)
    end, _ = jax.jit(lambda: jax.lax.scan(one, start, ends))()
    place, speed = state.pose.point(spot + height), ship.point(0.0, spot + height).velocity
    expected = place + speed - jnp.array([0.0, 0.0, 9.81 / 2])
    got = ship.pose_of_frame(1.0).point(spot + end["body"].p)
    np.testing.assert_allclose(got, expected, atol=2e-4)  # deck straight between samples of 10 ms
