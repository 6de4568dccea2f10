"""Runs of whole aircraft: a drop in the plane and in space, reduced, on wheels; energy; faults."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.mechanics.airframe import DeckAircraft, Oleo, Strut, WheelGear
from dovetail.mechanics.bodies import MassProperties, PrescribedForce
from dovetail.mechanics.collision import ContactRosenbrock
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.friction import Bristle
from dovetail.mechanics.geometry import Polygon
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion, TableMotion
from dovetail.mechanics.securing import Platform, frames
from dovetail.testing import Test

METHOD = ContactRosenbrock()


@eqx.filter_jit
def fly(aircraft, method, x, duration, number):
    """Outputs at equal times."""

    def one(carry, k):
        h = duration / number
        carry = method.step(aircraft, k * h, h, carry[0], None, carry[1])
        return carry, aircraft.output((k + 1) * h, carry[0], None) | method.signals(carry[1])

    (x, _), shown = jax.lax.scan(one, (x, method.init(aircraft, x)), jnp.arange(number))
    return x, shown


@pytest.fixture(scope="module")
def drop(make):
    aircraft = make(2, initial_pose=[0.0, 0.6, 0.0])
    return aircraft, *fly(aircraft, METHOD, aircraft.init(), 1.5, 150)


def test_a_drop_ends_at_the_static_equilibrium(drop, rest):
    aircraft, x, shown = drop
    np.testing.assert_allclose(
        shown["displacement"][-1], rest()[1]["position"], atol=1e-4
    )  # still settling, by 0.03 mm
    # at 1.5 s it still sinks a little: what the loads lack of the weight is what it accelerates with
    lack = float(jnp.sum(shown["contact_force"][-1, :, 1])) - 492.84
    assert lack == pytest.approx(50.238 * float(shown["acceleration"][-1, 1]), abs=0.01)
    assert abs(lack) < 1.0


def test_the_energy_of_a_drop_is_accounted_for(drop):
    _, _, shown = drop
    lost = float(-shown["work_by_source"][-1].sum())
    assert lost > 20.0
    assert float(jnp.abs(shown["energy_residual"]).max()) < 1e-3 * lost


def test_steps_end_at_first_touch(drop):
    _, x, shown = drop
    assert 0 < float(x["event_penetration"]) < 2e-7
    assert float(shown["solver_steps"][-1, 2]) >= 1


@pytest.mark.slow
def test_space_drops_as_the_plane_does(drop, make):
    flat, x2, shown2 = drop
    deep = make(3, initial_pose=[0.0, 0.0, 0.6, 0.0, 0.0, 0.0])
    tight = ContactRosenbrock(rtol=1e-6, atol=1e-6)
    _, deep_shown = fly(deep, tight, deep.init(), 0.3, 30)
    _, flat_shown = fly(flat, tight, flat.init(), 0.3, 30)
    # both to the accuracy of their steps, which are chosen by norms of different length
    np.testing.assert_allclose(deep_shown["displacement"][:, 1:], flat_shown["displacement"], atol=2e-6)
    np.testing.assert_allclose(deep_shown["displacement"][:, 0], 0.0, atol=1e-9)


@pytest.mark.slow
def test_a_reduced_gear_lands_like_the_full_one(drop, make):
    _, _, shown = drop
    reduced = make(2, modes=4, initial_pose=[0.0, 0.6, 0.0])
    _, found = fly(reduced, METHOD, reduced.init(), 1.5, 150)
    assert float(jnp.abs(found["displacement"] - shown["displacement"]).max()) < 5e-4
    assert float(jnp.abs(found["energy_residual"]).max()) < 0.05


@pytest.mark.slow
def test_friction_holds_an_aircraft_on_a_moving_deck(make):
    friction = Bristle(stiffness=3e3, damping=600.0, mu_kinetic=0.4, mu_static=0.9)
    sway = HarmonicMotion(
        mean_pose=[0.0, 0.1, 0.0], amplitude=[[0.3, 0.1, 0.05]], omega=[1.2], fade_in_time=0.5
    )
    aircraft = make(2, initial_pose=[0.0, 0.552, 0.0], deck=sway, friction=friction)
    x, shown = fly(aircraft, ContactRosenbrock(max_step=2.5e-3), aircraft.init(), 2.0, 40)
    deck = shown["platform_position"][-1, 0]
    assert float(jnp.abs(shown["displacement"][-1, 0] - deck[0])) < 0.06
    ledger = shown["work_by_source"][-1]
    assert float(jnp.abs(shown["energy_residual"]).max()) < 1e-3 * float(jnp.abs(ledger).sum())


@pytest.mark.slow
def test_an_aircraft_on_wheels_and_oleos_lands_and_comes_to_rest(make):
    wheels = WheelGear(
        nodes=[[-1.0, -1.0], [1.0, -1.0]], axis=[[0.0, 1.0], [0.0, 1.0]], wheel_mass=8.0, radius=0.2
    )
    oleo = Oleo(preload=1200.0, gas_stroke=0.25, free_length=0.7, orifice_damping=6e3, viscous_damping=300.0)
    aircraft = DeckAircraft(
        airframe=MassProperties(mass=400.0, inertia=150.0),
        gear=wheels,
        law=KelvinVoigt(stiffness=2e5, damping=1e3, tension="clamped"),
        platforms=(
            Platform(
                body=Polygon(vertices=[[-5, 0], [5, 0], [5, -1], [-5, -1]]),
                motion=FixedFrame(mean_pose=[0, 0, 0]),
            ),
        ),
        struts=tuple(Strut(law=oleo, mount=[x, -0.3], node=i) for i, x in ((1, -1.0), (2, 1.0))),
        initial_pose=[0.0, 1.4, 0.0],
    )
    _, shown = fly(aircraft, METHOD, aircraft.init(), 3.0, 60)
    np.testing.assert_allclose(
        shown["contact_force"][-1, :, 1], 416 * 9.81 / 2, rtol=5e-3
    )  # the orifice lets it sink slowly
    lost = float(-shown["work_by_source"][-1].sum())
    assert float(jnp.abs(shown["energy_residual"]).max()) < 1e-3 * lost


@pytest.mark.slow
def test_a_fixed_step_tends_to_the_adaptive_one(drop, make):
    aircraft, _, shown = drop
    fixed = ContactRosenbrock(control="fixed")
    _, found = fly(aircraft, fixed, aircraft.init(), 1.5, 3000)
    gap = jnp.abs(found["displacement"][19::20] - shown["displacement"])
    assert float(gap.max()) < 1e-3


def test_faults_are_reported_before_the_run(make):
    inside = make(2, initial_pose=[0.0, 0.4, 0.0])
    texts = " ".join(f.text for f in inside.faults(METHOD, 1e-2))
    assert "foot 1 starts 0.15 m inside deck" in texts
    away = make(2, initial_pose=[0.0, 0.8, 0.0])
    assert "contact events" in away.faults(RK4(), 1e-3)[0].text
    assert not dataclasses.replace(away, touched_surface="nearest").faults(RK4(), 1e-3)


def test_a_motion_that_ends_early_is_reported_before_the_run(make):
    table = TableMotion(times=[0.0, 2.0], values=[[0.0, 0.1, 0.0], [0.2, 0.3, 0.1]])
    wind = PrescribedForce(times=[0.0, 3.0], values=np.zeros((2, 3)))
    aircraft = make(2, initial_pose=[0.0, 0.8, 0.0], deck=table, loads=(wind,))
    assert not aircraft.time_faults(2.0)
    found = aircraft.time_faults(5.0)
    assert [f.path for f in found] == ["numerical.platforms.0.motion", "numerical.loads.0"]
    assert "of deck ends at 2 s" in found[0].text
    assert "3 s" in found[1].text
    assert "5 s" in found[1].text
    with pytest.raises(TestFileError, match="ends at 2 s"):
        Test(aircraft, method=METHOD, duration=5.0, axes=("port", "up")).prepare()


def test_a_ship_follows_its_table_of_sway_heave_and_roll(make):
    rows = [[0.0, 0.1, 0.0], [0.2, 0.3, 0.05], [0.1, 0.2, -0.1]]
    table = TableMotion(times=[0.0, 2.0, 4.0], values=rows, interpolation="linear")
    aircraft = make(2, initial_pose=[0.0, 0.8, 0.0], deck=table)
    moving = jax.jit(lambda t: frames(aircraft.platforms, t))(3.0)
    np.testing.assert_allclose(moving.position[0], [0.15, 0.25])
    np.testing.assert_allclose(jnp.arcsin(moving.rotation[0, 1, 0]), -0.025)
    np.testing.assert_allclose(moving.velocity[0], [-0.05, -0.05])
    np.testing.assert_allclose(moving.spin[0], [-0.075])


def test_a_gear_may_start_deformed(make, rate):
    shape = np.zeros(14)
    shape[:2] = [0.002, 0.001]  # the left foot
    bent, straight = (make(2, initial_pose=[0.0, 2.0, 0.0], initial_shape=s) for s in (shape, None))
    moved = bent.node_positions(bent.init()) - straight.node_positions(straight.init())
    np.testing.assert_allclose(moved[0], [0.002, 0.001], atol=1e-15)
    np.testing.assert_array_equal(bent.model.nodes, straight.model.nodes)
    held = bent.model.K[:2, :2]
    energy = bent.energy(0.0, bent.init())["gear"]
    assert float(energy) == pytest.approx(shape[:2] @ held @ shape[:2] / 2)
    # it springs back to where it is undeformed: accelerations go down the slope of that energy
    free = np.array(bent.model.free)
    slope = bent.model.K[np.ix_(free, free)] @ shape
    assert float(rate(bent, bent.init())[3:] @ slope) < 0


def test_the_published_form_needs_all_freedoms(make):
    with pytest.raises(ParameterError, match="gear.mode_count"):
        make(2, modes=4, formulation="published")


def test_a_state_at_the_start_has_the_types_of_every_later_one(make):
    """A weak type would have a run compiled twice, which takes longer than the run."""
    leaves = jax.tree.leaves(make(2, initial_pose=[0.0, 0.8, 0.0]).init())
    assert not any(leaf.weak_type for leaf in leaves)
