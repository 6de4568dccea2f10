"""A body over one that moves as prescribed: judged by the same body written down in the moving deck's own frame."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import FlatPlates, SteadyWind, WindDrag
from dovetail.core.errors import ParameterError
from dovetail.mechanics.airframe import ReducedAircraft, deck_motion
from dovetail.mechanics.bodies import BodyState, FreeBodies, MassProperties, PairState, PrescribedForce
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion, MotionModel
from dovetail.mechanics.spatial import Twist

DECK = HarmonicMotion(amplitude=[0.1, 0.8, 1.5, 0.25, 0.1, 0.05], omega=0.63, phase=[0, 1, 2, 3, 4, 5])
CRAFT = ReducedAircraft()
SPOT = jnp.array([-45.0, 1.0, 6.0])
FRAME = FreeBodies(
    CRAFT.airframe,
    DECK,
    tip=np.zeros(3),
    base=SPOT,
    position=CRAFT.init()["body"].p,
    attitude=np.zeros(3),
    velocity=np.zeros(3),
    base_euler=np.zeros(3),
    gravity=(0.0, 0.0, -9.81),
)
rates = jax.jit(lambda t, x, u: FRAME.derivative(t, x, u))
shown = jax.jit(lambda t, x, u: FRAME.output(t, x, u))


def over_the_deck(rng) -> dict:
    """A state of the reduced aircraft, seen from the deck."""
    x = CRAFT.init()
    q = jnp.array([1.0, *(0.02 * rng.normal(size=3))])
    body = BodyState(
        x["body"].p + 0.005 * rng.normal(size=3),
        q / jnp.linalg.norm(q),
        jnp.asarray(0.1 * rng.normal(size=3)),
        jnp.asarray(0.1 * rng.normal(size=3)),
    )
    return {**x, "body": body, "bristle": jnp.asarray(0.003 * rng.normal(size=(4, 3)) * np.array([1, 1, 0]))}


@jax.jit
def judged(t, x):
    """Wrench of the reduced aircraft's gear, and the state from land with its acceleration, by the deck's own frame."""
    deck = deck_motion(DECK, t, SPOT, jnp.zeros(3))
    acts = CRAFT.forces(x, deck)
    moments = jnp.cross(acts["place"] - x["body"].p, acts["total"])
    rate = CRAFT.rate(x, deck)["body"]
    ship, body = DECK.state(t), x["body"]
    R, w, dw = ship.pose.R, ship.twist.w, ship.rate.w
    arm = R @ (SPOT + body.p)
    v, a = R @ body.v, R @ rate.v
    pose = ship.pose @ body.pose
    place = ship.pose.point(SPOT + body.p)
    speed = ship.twist.v + jnp.cross(w, arm) + v
    carried = ship.rate.v + jnp.cross(dw, arm) + jnp.cross(w, jnp.cross(w, arm) + 2 * v)
    land = BodyState.from_pose(type(pose)(pose.R, place), Twist(speed, pose.R @ body.w))
    wrench = jnp.concatenate([jnp.sum(acts["total"], 0), jnp.sum(moments, 0)])
    return wrench, land, carried + a, rate.w


@pytest.mark.parametrize("seed", range(3))
def test_with_the_gears_wrench_it_moves_as_the_reduced_aircraft_does_in_the_decks_frame(seed):
    rng = np.random.default_rng(seed)
    t, x = 10 * rng.random(), over_the_deck(rng)
    wrench, land, acceleration, turning = judged(t, x)
    rate = rates(t, PairState(land, None), {"force": wrench})
    np.testing.assert_allclose(rate.first.v, acceleration, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(rate.first.w, turning, rtol=1e-9, atol=1e-9)
    assert rate.second is None
    motion = shown(t, PairState(land, None), {"force": wrench})["displacement"]
    np.testing.assert_allclose(motion[:3], x["body"].p - FRAME.position, atol=1e-9)


def test_recorded_velocity_and_acceleration_are_rates_of_the_displacement():
    _, land, _, _ = judged(2.0, over_the_deck(np.random.default_rng(0)))
    x, u, h = PairState(land, None), {"force": jnp.array([10.0, 20.0, 500.0, 1.0, 2.0, 3.0])}, 1e-5
    rate = rates(2.0, x, u)

    def after(s):
        return shown(2.0 + s, jax.tree.map(lambda a, b: a + s * b, x, rate), u)

    now, left, right = after(0.0), after(-h), after(h)
    slope = (right["displacement"] - left["displacement"]) / (2 * h)
    np.testing.assert_allclose(now["velocity"], slope, atol=1e-6)
    np.testing.assert_allclose(
        now["acceleration"], (right["velocity"] - left["velocity"]) / (2 * h), atol=1e-5
    )


def test_it_starts_at_rest_on_the_deck_and_turns_with_it():
    now = shown(0.0, FRAME.init(), {"force": jnp.zeros(6)})
    np.testing.assert_allclose(now["displacement"], 0.0, atol=1e-12)
    np.testing.assert_allclose(now["velocity"], 0.0, atol=1e-12)


def test_loads_act_on_the_first_body_in_body_axes():
    push = PrescribedForce(times=[0.0, 1.0], values=[[3.0, 0.0, 0.0]] * 2, point=[0.0, 1.0, 0.0])
    wind = WindDrag(FlatPlates(area=(1.0, 1.0, 1.0)), SteadyWind(wind=(0.0, 10.0, 0.0)), density=2.0)
    body = MassProperties(2.0, (1.0, 1.0, 4.0))
    flow = FreeBodies(
        body,
        FixedFrame(),
        tip=np.zeros(3),
        base=np.zeros(3),
        position=np.zeros(3),
        attitude=(0.0, 0.0, np.pi / 2),
        velocity=np.zeros(3),
        base_euler=np.zeros(3),
        gravity=(0.0, 0.0, -5.0),
        loads=(push, wind),
    )
    rate = flow.derivative(0.5, flow.init(), {"force": jnp.zeros(6)}).first
    # turned by a right angle: 3 N along the body's x is 3 N along y; 100 N of wind too
    np.testing.assert_allclose(rate.v, [0.0, 103.0 / 2, -5.0], atol=1e-9)
    np.testing.assert_allclose(rate.w, [0.0, 0.0, -3.0 / 4], atol=1e-9)


def test_a_motion_model_that_is_neither_free_nor_prescribed_is_rejected():
    class Lost(MotionModel):
        pass

    with pytest.raises(ParameterError, match="second: got Lost"):
        FreeBodies(CRAFT.airframe, Lost(), *(np.zeros(3),) * 5)
