"""The engine of six-axis docking: energy closes, 3-D too; steps follow the gap; instruments do as told."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail import testing
from dovetail.core import RK4
from dovetail.core.advance import compiled_advance, compiled_begin
from dovetail.core.clock import SelfTimed, Simulated
from dovetail.core.keep import Rows
from dovetail.core.system import FlowSystem
from dovetail.studies.docking import six_dof
from dovetail.studies.docking.docking_record import record
from dovetail.studies.docking.docking_steps import CountImpacts, DockingSystem, SixAxisInstruments
from dovetail.studies.registry import find_test
from dovetail.testing import Coupled
from dovetail.testing.coupled import reference_system, rigged_system
from dovetail.testing.excitation import Zero
from dovetail.testing.modes import all_modes

OBLIQUE = eqx.tree_at(
    lambda b: (b.position, b.attitude, b.angular_velocity),
    six_dof.published(),
    (jnp.array([0.245, 0.03, 0.06]), jnp.array([0.1, -0.1, 0.06]), jnp.array([0.03, -0.01, 0.02])),
)


MEETING = np.array(
    [0.2001, 0.0, 0.0809]
)  # [m] where the ball is when it first meets the cone of docking/six-dof


@pytest.fixture(scope="module")
def oblique():
    return record(DockingSystem.of(OBLIQUE, six_dof.ball()))


def test_energy_closes_to_1e_4_in_full_three_dimensions(oblique):
    # 20 us steps in contacts of 6 ms; measured 1e-6
    assert len(oblique.impacts) > 3
    assert np.abs(oblique.balance / oblique.balance[0] - 1).max() < 1e-4
    assert np.ptp(oblique.traces["position"][:, 1]) > 5e-3  # it does leave the plane


def test_momentum_and_angular_momentum_survive_the_impacts():
    docking, keep = DockingSystem.of(OBLIQUE, six_dof.ball()), CountImpacts()
    now, _ = compiled_begin(docking, docking.monitor, keep)
    now, _, _ = compiled_advance(docking, SelfTimed(20.0), docking.monitor, keep, now, 2000)
    assert int(now.kept.impacts) >= 2
    momenta = eqx.filter_jit(lambda pair, x: (pair.momentum(x), pair.angular_momentum(x)))
    both = (momenta(OBLIQUE.pair, x) for x in (OBLIQUE.pair.start, now.x.parts["numerical"]))
    for before, now in zip(*both, strict=True):
        # fourth order at 20 us in contact: 1e-9 of the total
        np.testing.assert_allclose(now, before, atol=1e-9 * float(jnp.linalg.norm(before)))


def test_the_direct_reference_equals_the_six_axis_one_to_rounding():
    direct = DockingSystem.of(OBLIQUE, six_dof.ball()).flow
    general = Coupled(direct.numerical, direct.specimen, Zero(), (6,))
    rates = eqx.filter_jit(lambda system, x: system.derivative(0.0, x, None))
    start, rng = eqx.filter_jit(Coupled.init)(general), np.random.default_rng(0)
    touching, half_turn = 0, np.array([-1.0, -1.0, 1.0])  # of D against the world
    for _ in range(20):
        # about where the ball meets the cone, tumbling
        x = jax.tree.map(lambda leaf: leaf + 2e-3 * rng.normal(size=leaf.shape), start["numerical"])
        x = eqx.tree_at(lambda s: s.first.p, x, x.first.p + half_turn * (MEETING - OBLIQUE.position))
        x = {**start, "numerical": x, "specimen": {**start["specimen"], "impact_speed": jnp.asarray(0.06)}}
        one, other = rates(direct, x), rates(general, x)
        touching += float(one["specimen"]["touched"])
        for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            np.testing.assert_allclose(
                a, b, rtol=1e-9, atol=1e-12 * max(1.0, float(np.max(np.abs(b), initial=0.0)))
            )
    assert 3 < touching < 18


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["reference", "rehearse"])
def test_steps_of_one_length_are_those_of_the_test_file_in_continuous_time(mode):
    """docking/six-dof just before its first impact, 5 us a step on either side, to the end of the contact."""
    near, count, h = [0.20013, 0.0, 0.0809], 2000, 5e-6
    rounded = {
        "kind": "series",
        "parts": [{"kind": "total-delay-lag", "delay": "1 ms"}, {"kind": "quantiser", "resolution": 1e-6}],
    }
    changes = {
        "sampling": "none",
        "rate": 1 / h,
        "duration": count * h,
        "numerical.position": near,
        "rig.specimen.initial_position": near,
        "rig.actuator": rounded,
    }
    test = testing.load(find_test("docking/six-dof"), changes).prepare()
    system = reference_system(test, test.rig.specimen) if mode == "reference" else rigged_system(test)
    flow, monitor = FlowSystem(system, RK4()), all_modes()[mode]().monitor(test)
    now, _ = compiled_begin(flow, monitor, Rows())
    _, _, records = compiled_advance(flow, Simulated(h, count), monitor, Rows(), now, count)

    bodies = eqx.tree_at(lambda b: b.position, six_dof.published(), jnp.array(near))
    tools = None if mode == "reference" else SixAxisInstruments()
    docking = DockingSystem.of(bodies, six_dof.ball(), tools, contact_step=h, free_step=h)
    now, _ = compiled_begin(docking, docking.monitor, Rows())
    _, _, traces = compiled_advance(docking, SelfTimed(1.0), docking.monitor, Rows(), now, count)
    assert float(np.max(traces["normal_force"])) > 1000.0  # there was an impact
    assert float(traces["penetration"][-1]) < 0  # which is over
    for name, other, size in (
        ("probe_position", "position", 0.1),
        ("penetration", "penetration", 1e-3),
        ("normal_force", "normal_force", 1e3),
        ("contact_dissipation", "impact_heat", 1.0),
        ("friction_dissipation", "friction_dissipation", 1.0),
        ("kinetic_energy", "kinetic", 1.0),
    ):
        np.testing.assert_allclose(records[name], traces[other], atol=1e-9 * size, err_msg=name)


def test_a_probe_on_the_axis_docks_without_touching():
    done = record(DockingSystem.of(six_dof.published(0.0, 0.0), six_dof.ball()))
    assert done.docked
    assert done.impacts == []
    # 245 mm less the tip's radius, at 0.1 m/s
    assert done.time[-1] == pytest.approx(2.2, abs=0.03)  # the last step of free flight may pass it by 20 ms


def test_steps_are_short_in_contact_and_long_in_flight(oblique):
    h, touching = np.diff(oblique.time), oblique.traces["penetration"][1:] > 0
    assert h[touching].max() <= 20e-6 * 1.001
    assert h[~touching].max() > 10e-3
    # first contact is never overstepped: it begins with a micrometre or less
    starts = np.flatnonzero(np.diff(touching.astype(int)) == 1) + 1
    assert oblique.traces["penetration"][1:][starts].max() < 3e-6


def test_a_docking_ends_at_the_end_time_in_its_current_state():
    early = record(DockingSystem.of(OBLIQUE, six_dof.ball()), until=0.1)
    assert early.time[-1] == pytest.approx(0.1)
    assert early.ending == 0


def read(tools, force):
    for part in tools.sensor.parts[1:]:
        force = part.apply(0.0, force)
    return force


def test_sensors_quantise_in_their_units_with_optional_cross_talk():
    tools = SixAxisInstruments(position_resolution=1e-3, angle_resolution=0.1, force_resolution=10.0)
    np.testing.assert_allclose(
        tools.robot.parts[1].apply(0.0, jnp.array([1.4e-3, 0, -2.6e-3, 0.24, 0, -0.06])),
        [1e-3, 0, -3e-3, 0.2, 0, -0.1],
        atol=1e-15,
    )
    np.testing.assert_allclose(read(tools, jnp.array([14.0, 0, 0, 1.4, 0, 0])), [10, 0, 0, 1, 0, 0])
    crossed = SixAxisInstruments(
        coupling=np.eye(6) + 0.5 * np.eye(6)[::-1], force_resolution=0, torque_resolution=0
    )
    assert float(read(crossed, jnp.arange(6.0))[0]) == 2.5
    assert float(tools.lag) == pytest.approx(0.35e-3 + 1.4 / (8 * np.pi / 0.1e-3))


@pytest.mark.slow
def test_with_faster_instruments_the_rig_converges_to_the_reference():
    """The error of the first impact is proportional to the delay: half of it, half the error."""
    bodies, ball = six_dof.published(), six_dof.ball()
    ideal = record(DockingSystem.of(bodies, ball), until=1.0).first

    def errors(delay):
        exact = dict.fromkeys(
            ("position_resolution", "angle_resolution", "force_resolution", "torque_resolution"), 0.0
        )
        tools = SixAxisInstruments(robot_delay=delay, sensor_delay=delay, **exact)
        got = record(DockingSystem.of(bodies, ball, tools, contact_step=delay / 5), until=1.0).first
        pairs = [
            (got.peak_force, ideal.peak_force),
            (got.peak_depth, ideal.peak_depth),
            (got.speed_out, ideal.speed_out),
        ]
        return np.array([a / b - 1 for a, b in pairs])

    long, short = errors(40e-6), errors(20e-6)
    np.testing.assert_allclose(long / short, 2.0, rtol=0.02)
    assert short.max() < 0.01


def test_steps_in_contact_are_shorter_than_the_fastest_lag_needs():
    bodies, ball = six_dof.published(), six_dof.ball()
    for delay in (10e-6, 0.1e-3, 1e-3):
        docking = DockingSystem.of(bodies, ball, SixAxisInstruments(sensor_delay=delay), contact_step=10e-6)
        omega = 2 * np.pi * 4 / delay  # the source's reading of a sensor's total delay
        assert float(docking.flow.sensor.parts[0].omega) == pytest.approx(omega)
        assert float(docking.contact_step) == pytest.approx(min(10e-6, 1.5 / omega))
