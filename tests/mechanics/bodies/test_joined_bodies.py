"""Spacecraft of several bodies and with parts that bend: laws of conservation, known frequencies, the rigid limit."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail import testing
from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.bodies import (
    AttachedBody,
    BodyPair,
    BodyState,
    FreeBodies,
    JoinedBodies,
    MassProperties,
    PairState,
    combine,
)
from dovetail.mechanics.spatial import Pose, Twist, Wrench, rotation
from dovetail.studies.registry import find_test

CHASER, TARGET = MassProperties(360.0, [50.3, 122.4, 122.4]), MassProperties(770.0, [374.7, 385.4, 385.4])
PANEL = MassProperties(40.0, [8.0, 6.0, 13.0])
MEETING = dict(
    tip=(1.83, 0.0, 0.0),
    base=(-0.85, 0.0, 0.0),
    position=(0.24, 0.0, 0.05),
    attitude=(0.0, -0.1, 0.0),
    velocity=(0.1, 0.0, 0.0),
)
BOOM = AttachedBody(
    PANEL, parent_point=(0.0, 1.0, 0.2), body_point=(0.1, -1.5, 0.0), damping=(20.0,) * 3 + (5.0,) * 3
)
ARM = AttachedBody(
    PANEL,
    parent_point=(0.0, 1.2, 0.0),
    body_point=(0.0, -1.0, 0.0),
    parent=2,
    stiffness=(1e6,) * 3 + (1e5, 0, 1e5),
)
OTHER = AttachedBody(PANEL, parent_point=(0.0, 0.0, 1.5), body_point=(0.0, 0.0, -1.0), parent=1)
BODIES = JoinedBodies(
    CHASER, TARGET, attached=(BOOM, ARM, OTHER), **MEETING, angular_velocity=(0.3, -0.2, 0.4)
)
LOAD = Wrench(jnp.array([30.0, -7.0, 4.0]), jnp.array([1.0, 0.5, -2.0]))


def strained(seed=0):
    """A state with every joint bent by a tenth of a radian and moving."""
    rng = np.random.default_rng(seed)
    start = BODIES.pair.start

    def moved(state):
        turn = rotation.exponential(jnp.asarray(rng.normal(0, 0.1, 3)))
        pose = Pose(state.pose.R @ turn, state.p + rng.normal(0, 0.01, 3))
        return BodyState.from_pose(
            pose, Twist(state.v + rng.normal(0, 0.1, 3), jnp.asarray(rng.normal(0, 0.3, 3)))
        )

    return eqx.tree_at(lambda x: x.attached, start, tuple(moved(s) for s in start.attached))


def test_attached_bodies_start_with_their_carriers_and_without_strain():
    pair = BODIES.pair
    rigid = FreeBodies(CHASER, TARGET, **MEETING, angular_velocity=(0.3, -0.2, 0.4)).pair
    assert float(pair.elastic_energy(pair.start)) < 1e-20
    for one, state in zip(pair.attached, pair.start.attached, strict=True):
        carrier = pair.start.all[one.parent]
        np.testing.assert_allclose(state.twist.w, carrier.twist.w, atol=1e-14)
        np.testing.assert_allclose(state.v, carrier.twist.shift(state.p - carrier.p).v, atol=1e-14)
    pose, twist = pair.relative(pair.start)
    expected, speed = rigid.relative(rigid.start)
    np.testing.assert_allclose(pose.matrix, expected.matrix, atol=1e-14)
    np.testing.assert_allclose(twist.v, speed.v, atol=1e-14)


def test_joints_conserve_momentum_and_their_energy_is_audited():
    @eqx.filter_jit
    def rates(pair, x):
        rate = pair.derivative(0.0, x, LOAD)

        def kept(x):
            return pair.momentum(x), pair.angular_momentum(x), pair.kinetic_energy(x) + pair.elastic_energy(x)

        _, (*along, gained) = jax.jvp(kept, (x,), (rate,))
        quiet = eqx.tree_at(lambda p: [a.damping for a in p.attached], pair, [jnp.zeros(6)] * 3)
        lost = jnp.zeros(())
        for one, still, own in zip(pair.attached, quiet.attached, x.attached, strict=True):
            both = x.all[one.parent], own
            for damped, elastic, body in zip(one.wrenches(*both), still.wrenches(*both), both, strict=True):
                lost -= (damped + (-elastic)).power(body.twist)
        pose, twist = pair.relative(x)
        return along, gained, lost, LOAD.shift(pose.p).power(twist)

    along, gained, lost, given = rates(BODIES.pair, strained())
    assert max(float(jnp.abs(a).max()) for a in along) < 1e-8
    assert float(lost) > 0
    assert float(gained) == pytest.approx(float(given - lost), rel=1e-6)


def test_a_part_swings_at_the_frequency_of_its_spring_and_the_reduced_mass():
    k = 4e3
    one = AttachedBody(PANEL, parent_point=(0.0,) * 3, body_point=(0.0,) * 3, stiffness=(k,) * 3 + (1e3,) * 3)
    pair = JoinedBodies(CHASER, TARGET, attached=(one,), **{**MEETING, "velocity": (0.0,) * 3}).pair
    omega = np.sqrt(k * (1 / 40.0 + 1 / 360.0))
    quarter, steps = np.pi / 2 / omega, 40

    @jax.jit
    def swung(kick):
        x = eqx.tree_at(lambda x: x.attached[0].v, pair.start, kick)
        step = lambda _, x: with_stage_loop(RK4()).step(pair, 0.0, quarter / steps, x, None, ())[0]  # noqa: E731
        end = jax.lax.fori_loop(0, steps, step, x)
        return end.attached[0].p - end.first.p

    for kick in 1e-3 * jnp.eye(3):
        apart = float(jnp.linalg.norm(swung(kick)))
        assert apart == pytest.approx(1e-3 / omega, rel=1e-5)  # the largest, after a quarter


@pytest.mark.slow  # a limit, in 5000 steps
def test_a_stiff_joint_equals_one_rigid_body():
    """Under a lasting push the mean acceleration of the hub is that of the combine body."""
    stiff = AttachedBody(
        PANEL,
        parent_point=(0.0, 1.0, 0.0),
        body_point=(0.0, -0.5, 0.0),
        stiffness=(1e8,) * 3 + (1e8,) * 3,
        damping=(3e4,) * 6,
    )
    pair = JoinedBodies(CHASER, TARGET, attached=(stiff,), **{**MEETING, "velocity": (0.0,) * 3}).pair
    whole = combine(CHASER, PANEL.translated_by((0.0, 1.5, 0.0)))
    rigid = BodyPair(
        whole,
        TARGET,
        Pose(p=pair.X_CP.p - whole.centre),
        pair.X_TD,
        PairState(BodyState.from_pose(pair.start.first.pose @ Pose(p=whole.centre)), pair.start.second),
    )

    @eqx.filter_jit
    def pushed(pair, x, h, steps):
        step = lambda _, x: with_stage_loop(RK4()).step(pair, 0.0, h, x, LOAD, ())[0]  # noqa: E731
        return pair.relative(jax.lax.fori_loop(0, steps, step, x))[1]

    soft, hard = pushed(pair, pair.start, 1e-4, 5000), pushed(rigid, rigid.start, 0.01, 50)
    np.testing.assert_allclose(soft.v, hard.v, rtol=2e-3, atol=1e-5)
    np.testing.assert_allclose(soft.w, hard.w, rtol=2e-3, atol=1e-5)


def test_a_joint_without_stiffness_about_an_axis_is_a_hinge():
    x = strained(3)
    carrier, own = x.attached[0], x.attached[1]
    free = eqx.tree_at(lambda a: a.stiffness, ARM, jnp.array([0.0] * 3 + [1e5, 0.0, 1e5]))
    turned = BodyState.from_pose(carrier.pose @ Pose(rotation.about_y(0.7)))
    moment = jax.jit(lambda body: jnp.abs(free.wrenches(carrier, body)[1].tau).max())
    assert float(moment(turned)) < 1e-6 * 1e5
    assert float(moment(own)) > 100


def test_a_body_joined_to_itself_or_to_a_later_body_is_rejected():
    with pytest.raises(ParameterError, match=r"attached\[0\].parent: got 2"):
        JoinedBodies(CHASER, TARGET, attached=(ARM,), **MEETING)


def test_the_interface_follows_the_tip_and_joint_loads_are_recorded():
    x = strained()
    shown = jax.jit(lambda x: BODIES.output(0.0, x, {"force": jnp.zeros(6)}))(x)
    assert float(shown["elastic_energy"]) == pytest.approx(float(BODIES.pair.elastic_energy(x)), rel=1e-12)
    assert float(shown["kinetic_energy"]) == pytest.approx(float(BODIES.pair.kinetic_energy(x)), rel=1e-12)
    np.testing.assert_allclose(shown["displacement"], np.zeros(6), atol=1e-12)  # the hubs have not moved yet


@pytest.mark.slow  # a whole test in six axes
def test_a_spacecraft_with_a_hinged_panel_replaces_the_rigid_one_in_a_test():
    panel = {
        "kind": "attached-body",
        "body": {"kind": "mass-properties", "mass": "20 kg", "inertia": [4.0, 1.0, 4.0]},
        "parent_point": [0, "0.5 m", 0],
        "body_point": [0, "-1 m", 0],
        "stiffness": [1e5, 1e5, 1e5, 2e3, 2e3, 2e3],
    }
    changes = {"numerical.kind": "joined-bodies", "numerical.attached": [panel], "duration": "0.5 s"}
    run = testing.load(find_test("docking/six-dof"), changes).reference()
    assert run.outcome.completed
    swing = run.data["elastic_energy"].values
    struck = np.linalg.norm(run.data["feedback_force"].values[:, :3], axis=1) > 1.0
    assert np.all(swing[: int(np.argmax(struck))] < 1e-9)  # until the probe strikes
    assert swing.max() > 1e-6  # then the panel swings
