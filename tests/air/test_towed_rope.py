"""The towed rope: wind, glide, start, coupling, and what is refused."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import CableDrag, Dryden, PointDevice, TowedRope, VortexPair
from dovetail.air.wind import FreeStream
from dovetail.core import RK4
from dovetail.core.random import assign_keys
from dovetail.mechanics.chain import ElasticChain, LinkChain, RodChain, SmoothReel

CHAIN = LinkChain(n=4, length=100.0, mass=30.0)
directions = eqx.filter_jit(lambda rope: rope.static_directions())
begun = eqx.filter_jit(lambda rope: rope.init())
local_wind = eqx.filter_jit(lambda rope, t, r, v: rope.local_wind(t, r, v))
weight = eqx.filter_jit(lambda rope: rope.weight_field())
both = eqx.filter_jit(lambda rope, x: (rope.derivative(0.0, x, None), rope.output(0.0, x, None)))


def test_the_local_wind_is_stream_wind_wake_and_gusts_minus_the_node_velocity():
    rope = TowedRope(chain=CHAIN, wind=(5.0, -1.0, 2.0), wake=VortexPair(), gusts=Dryden(), density=0.7)
    rope = assign_keys(rope, jax.random.key(0))
    r, v = jnp.array([[50.0], [10.0], [0.0]]), jnp.array([[1.0], [2.0], [3.0]])
    velocity = eqx.filter_jit(lambda fields: sum(f.velocity(4.0, r, FreeStream(170.0, 0.7)) for f in fields))
    parts = velocity((rope.wake, rope.gusts))
    expected = np.array([[-165.0], [-1.0], [2.0]]) + np.asarray(parts) - np.asarray(v)
    np.testing.assert_allclose(local_wind(rope, 4.0, r, v), expected, rtol=1e-12)


def test_a_glide_tilts_gravity_forward():
    field = weight(TowedRope(chain=CHAIN, descent_angle=0.1))
    np.testing.assert_allclose(field, 9.81 * np.array([np.sin(0.1), 0.0, -np.cos(0.1)]))


def test_the_rope_starts_straight_in_the_given_direction():
    rope = TowedRope(chain=CHAIN, initial_angles=(0.3, 0.2))
    tip = np.asarray(begun(rope)["rope"]["position"])[:, -1]
    expected = -100 * np.array([np.cos(0.2) * np.sin(0.3), np.sin(0.2), np.cos(0.2) * np.cos(0.3)])
    np.testing.assert_allclose(tip, expected, rtol=1e-12)


def test_a_static_start_with_drag_on_the_rope_is_at_rest():
    drag = CableDrag(diameter=0.024)
    rope = TowedRope(
        chain=dataclasses.replace(CHAIN, n=8),
        device=PointDevice(mass=150.0),
        drag=drag,
        density=0.7,
        initial_state="static",
    )
    rates = eqx.filter_jit(lambda rope, x: jnp.abs(rope.derivative(0.0, x, None)["rope"]["velocity"]).max())
    # [m/s^2]: rods at rest, of which the chain here has the masses lumped at the nodes
    assert float(rates(rope, begun(rope))) < 0.5
    loose = dataclasses.replace(rope, initial_state="straight")
    assert float(rates(loose, begun(loose))) > 5.0


def test_tip_force_and_tip_motion_are_exchanged_at_every_stage():
    rope = TowedRope(chain=CHAIN, device=PointDevice(mass=150.0), density=0.7)
    x = begun(rope)
    faster = jax.tree.map(lambda a: a, x)
    faster["rope"] = {**x["rope"], "velocity": x["rope"]["velocity"].at[2, -1].set(-5.0)}  # the tip sinks
    (still, _), (sinking, shown) = (both(rope, s) for s in (x, faster))
    still, sinking = (float(rate["rope"]["velocity"][2, -1]) for rate in (still, sinking))
    # the drag vector turns with the relative wind: D / V per unit of velocity, over the tip's mass
    assert sinking - still == pytest.approx(8000 / 170 * 5 / (150 + 30 / 8), rel=0.01)
    assert float(shown["velocity"][2]) == -5.0
    assert float(shown["tip_wind"][2]) == 5.0


def test_rods_and_links_settle_at_the_same_static_shape():
    device = PointDevice(mass=150.0)
    rods = RodChain(n=4, length=100.0, mass=30.0, stiffness=1e10)
    shapes = [TowedRope(chain=c, device=device, density=0.7, initial_state="static") for c in (CHAIN, rods)]
    tip = eqx.filter_jit(lambda s: s.loaded_chain.nodes(s.init()["rope"]).tip[0])
    tips = [np.asarray(tip(s)) for s in shapes]
    np.testing.assert_allclose(tips[0], tips[1], atol=0.01)


@pytest.mark.slow
def test_a_position_controller_brings_the_tip_closer_to_its_target():
    from dovetail.air import HoldPosition, NoCommand
    from dovetail.testing import Test

    chain = LinkChain(n=5, length=250.0, mass=82.0, mass_damping=0.05)

    def depth(command):
        device = PointDevice(mass=150.0, lift_area=0.8, side_area=0.8)
        system = TowedRope(chain=chain, device=device, command=command, density=0.7, initial_state="static")
        run = Test(system, axes=("x", "y", "z"), rate=5.0, substeps=10, duration=60.0).simulate()
        return -float(run.data["displacement"].values[-1, 2])

    hold = HoldPosition(target=[0.0, -40.0], gain=0.02, rate_gain=0.02)
    open_loop, closed_loop = depth(NoCommand()), depth(hold)
    assert open_loop > 50.0
    assert abs(closed_loop - 40.0) < 0.5 * abs(open_loop - 40.0)  # proportional: a share of the error stays


def test_gravity_is_the_users_and_may_fall_with_altitude():
    low = weight(TowedRope(chain=CHAIN, gravity=3.7, altitude=0.0, gravity_model="altitude"))
    np.testing.assert_allclose(low, [0.0, 0.0, -3.7])
    high = weight(TowedRope(chain=CHAIN, gravity=9.80665, altitude=10e3, gravity_model="altitude"))
    assert float(high[2]) == pytest.approx(-9.7759, abs=1e-3)  # the standard atmosphere's table at 10 km
    # and it is a force on all of the rope: the root carries its weight
    hung = TowedRope(chain=CHAIN, gravity=3.7, airflow="off", initial_angles=(0.0, 0.0))
    assert float(both(hung, begun(hung))[1]["root_force"][2]) == pytest.approx(-30 * 3.7)


@pytest.mark.slow
def test_the_work_of_a_reel_is_in_the_energy_audit():
    from dovetail.testing import Test

    def residual(n):
        chain = LinkChain(n=n, length=100.0, mass=30.0)
        reel = SmoothReel(initial_length=40.0, final_length=100.0, duration=8.0)
        system = TowedRope(chain=chain, device=PointDevice(mass=150.0), reel=reel, density=0.7)
        data = Test(system, axes=("x", "y", "z"), rate=10.0, substeps=10, duration=10.0).simulate().data
        return float(abs(data["energy_residual"]).max()), float(abs(data["external_work"]).max())

    (coarse, _), (fine, work) = residual(4), residual(8)
    assert fine < 1e-2 * work
    assert coarse / fine == pytest.approx(2.0, rel=0.2)  # first order in the links' length


def test_a_twisting_rope_ties_the_roll_of_the_device_to_the_support():
    from dovetail.air import RigidDevice
    from dovetail.mechanics.chain.torsion import TwistLine
    from dovetail.mechanics.spatial import quaternion

    device = RigidDevice(mass=150.0, roll_gain=0.0)
    free = TowedRope(chain=CHAIN, device=device, density=0.7)
    tied = dataclasses.replace(free, twist=TwistLine(n=3, stiffness=50.0, inertia=1e-5))

    @eqx.filter_jit
    def rate(rope):
        x = rope.init()
        x["device"] = {**x["device"], "attitude": quaternion.from_vector(jnp.array([0.2, 0.0, 0.0]))}
        return rope.derivative(0.0, x, None)["device"]["spin"][0]

    rates = [float(rate(rope)) for rope in (free, tied)]
    # the last third of the rope holds back what has been turned by 0.2 rad: GJ theta / (L / 3) over the inertia
    assert rates[1] - rates[0] == pytest.approx(-50.0 * 0.2 / (100.0 / 3) / 15.0, rel=1e-9)
    shown = eqx.filter_eval_shape(lambda: tied.output(0.0, tied.init(), None))
    assert shown["twist_torque"].shape == (3,)
    point = dataclasses.replace(tied, device=PointDevice(mass=150.0))  # does not roll: the end is free
    found = eqx.filter_jit(lambda rope: rope.derivative(0.0, rope.init(), None)["twist"]["twist_rate"])(point)
    assert np.abs(found).max() == 0.0


@pytest.mark.slow
def test_modes_of_the_towed_rope_are_those_of_its_settling():
    from dovetail.core import linearise

    # the scenario of the study: its settling run has a period of 15.5 s
    chain = RodChain(
        n=8,
        length=250.0,
        mass=82.25,
        stiffness=6.24275e6,
        axial_damping=1.028125e6,
        bending=224.75,
        joint_damping=822.5,
    )
    rope = TowedRope(chain=chain, device=PointDevice(mass=150.0), density=0.7, initial_state="static")
    values = np.asarray(linearise(rope, rope.init(), None).modes().eigenvalues)
    slow = values[(values.imag > 0.05)]
    sway = slow[np.argsort(slow.imag)][:2]  # up and down, and to the sides
    np.testing.assert_allclose(2 * np.pi / sway.imag, 15.5, rtol=0.05)
    assert (sway.real < 0).all()


def test_an_unsettled_run_reports_it():
    from dovetail.testing import Test

    system = TowedRope(chain=CHAIN, airflow="off", initial_angles=(1.0, 0.0))
    run = Test(system, axes=("x", "y", "z"), rate=20.0, substeps=5, duration=5.0).simulate()
    assert system.measures(run.data)["settled"] == "not within the 5 s"


@pytest.mark.parametrize("seed", range(5))
def test_in_a_glide_the_rope_hangs_by_gravity_and_trails_by_an_airflow_that_is_tilted(seed):
    rng = np.random.default_rng(seed)
    glide, drag, heavy = rng.uniform(-0.2, 0.3), rng.uniform(0.2, 1.5), rng.uniform(50.0, 300.0)
    device = PointDevice(mass=heavy, drag_area=drag, trim_lift=0.0)
    rope = TowedRope(chain=CHAIN, device=device, density=0.7, airspeed=90.0, descent_angle=glide)
    # in the axes of the earth (forward, up): the air comes from ahead and below, gravity points down
    ahead, up = np.array([np.cos(glide), -np.sin(glide)]), np.array([np.sin(glide), np.cos(glide)])
    wind = np.asarray(local_wind(rope, 0.0, jnp.zeros((3, 1)), jnp.zeros((3, 1))))[:, 0]
    np.testing.assert_allclose(wind[0] * ahead + wind[2] * up, -90.0 * ahead)
    found = np.asarray(directions(rope))
    for k in range(
        4
    ):  # each link along the force below its middle: drag of the device, weight of what hangs there
        below = heavy + 30.0 * (4 - k - 0.5) / 4
        force = -0.5 * 0.7 * 90.0**2 * drag * ahead - 9.81 * below * np.array([0.0, 1.0])
        link = found[0, k] * ahead + found[2, k] * up
        np.testing.assert_allclose(link, force / np.linalg.norm(force), atol=1e-9)


@pytest.mark.parametrize(("start", "end"), [(20.0, 100.0), (100.0, 20.0)])
def test_a_step_must_follow_the_waves_of_a_rope_that_is_reeled_in(start, end):
    """Links a fifth as long and as heavy: waves between nodes are five times as quick."""
    chain = ElasticChain(n=4, length=100.0, mass=30.0, stiffness=1e5)
    whole = TowedRope(chain=chain, density=0.7)
    reeled = dataclasses.replace(whole, reel=SmoothReel(initial_length=start, final_length=end, duration=8.0))
    omega = 2 * np.sqrt(1e5 / (7.5 * 25.0))
    step = 2.5 / omega  # RK4 bears 2.8
    assert [fault.path for fault in whole.faults(RK4(), step)] == []
    assert [fault.path for fault in reeled.faults(RK4(), step)] == ["rate"]
    assert [fault.path for fault in reeled.faults(RK4(), step / 5)] == []
