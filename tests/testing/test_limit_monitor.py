"""The supervisor: each limit, the first breach, growth."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.testing import Limits, Outcome, Rehearse
from dovetail.testing.limit_monitor import LimitMonitor

MOTION = ("displacement", "velocity", "acceleration")
READ = ("measured_displacement", "measured_force")


def sample(age=None, **shown):
    """Motion and reading of a sample, at rest but for what is said; only readings of a real rig have an age [ticks]."""
    aged = {} if age is None else {"measurement_age": jnp.asarray(age, dtype=float)}
    shape = np.broadcast_shapes(*(np.shape(value) for value in shown.values()), ())
    return aged | {
        name: jnp.broadcast_to(jnp.asarray(shown.get(name, 0.0), dtype=float), shape)
        for name in (*MOTION, *READ)
    }


@eqx.filter_jit
def states_after(monitor, first, samples, dt):
    """The states of a monitor after each of the samples, which are stacked along their first axis."""

    def step(state, tick):
        number, shown = tick
        state = monitor.step(number * dt, dt, state, shown)[0]
        return state, state

    count = len(jax.tree.leaves(samples)[0])
    return jax.lax.scan(step, first, (jnp.arange(1, count + 1), samples))[1]


def states(monitor, samples, dt=1e-3):
    """The states of a monitor after each sample, from the first on."""
    first = monitor.start(samples[0])[0]
    after = states_after(monitor, first, jax.tree.map(lambda *x: jnp.stack(x), *samples[1:]), dt)
    return [first, *(jax.tree.map(lambda x, k=k: x[k], after) for k in range(len(samples) - 1))]


def outcome_of(limits, rotary=(), **shown):
    """The outcome of one sample after a first one at rest."""
    shown = sample(**shown)
    rest = {name: jnp.zeros_like(value) for name, value in shown.items()}
    return Outcome.from_code(states(LimitMonitor(limits, rotary), [rest, shown])[-1].code)


@pytest.mark.parametrize(
    ("limit", "signal", "outcome"),
    [
        ("displacement", "displacement", Outcome.DISPLACEMENT),
        ("velocity", "velocity", Outcome.VELOCITY),
        ("force", "measured_force", Outcome.FORCE),
        ("tracking_error", "measured_displacement", Outcome.TRACKING_ERROR),
        ("acceleration", "acceleration", Outcome.ACCELERATION),
    ],
)
def test_each_limit_trips_on_either_side_and_not_at_it(limit, signal, outcome):
    limits = Limits(**{limit: 2.0})
    assert outcome_of(limits, **{signal: 2.0}) is Outcome.FINISHED
    assert outcome_of(limits, **{signal: 2.1}) is outcome
    assert outcome_of(limits, **{signal: -2.1}) is outcome
    assert outcome_of(limits, **{signal: [0.0, -2.1]}) is outcome


@pytest.mark.parametrize("value", [jnp.nan, jnp.inf])
def test_values_that_are_not_finite_trip_before_any_limit(value):
    assert outcome_of(Limits(force=1.0), measured_force=value) is Outcome.NOT_FINITE


def test_the_first_breach_is_kept():
    monitor = LimitMonitor(Limits(displacement=1.0, force=1.0))
    samples = [sample(**shown) for shown in ({}, {}, {"measured_force": 2.0}, {"displacement": 2.0})]
    state = states(monitor, samples)[-1]
    assert Outcome.from_code(state.code) is Outcome.FORCE
    assert state.sample == 2


def test_the_first_sample_is_checked_too():
    state, _ = LimitMonitor(Limits(force=1.0)).start(sample(measured_force=2.0))
    assert (Outcome.from_code(state.code), int(state.sample)) == (Outcome.FORCE, 0)


def test_the_demand_decides_before_the_reading():
    """A rig that is not sent there cannot read anything there."""
    both = {"displacement": 2.0, "measured_displacement": 2.0}
    for spoiled in (2.0, np.nan):
        assert (
            outcome_of(Limits(displacement=1.0, force=1.0), measured_force=spoiled, **both)
            is Outcome.DISPLACEMENT
        )
    monitor = LimitMonitor(Limits(displacement=1.0))
    shown = sample(**both)
    demand = monitor.check_demand(1e-3, 1e-3, monitor.empty_state(), shown)
    assert Outcome.from_code(demand.code) is Outcome.DISPLACEMENT
    measurement = monitor.check_measurement(1e-3, monitor.empty_state(), shown)
    assert Outcome.from_code(measurement.code) is Outcome.FINISHED


@pytest.mark.parametrize("sigma", [-0.3, 0.2, 1.0, 3.0])
def test_the_growth_rate_of_an_exponential_envelope_is_found(sigma):
    monitor, dt = LimitMonitor(Limits(growth_window=0.25)), 1e-3
    state, _ = monitor.start(sample())

    def step(state, tick):
        z = jnp.exp(sigma * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        state, shown = monitor.step(tick * dt, dt, state, sample(displacement=z))
        return state, shown["growth_rate"]

    _, rates = jax.lax.scan(step, state, jnp.arange(1, 8001))
    # the means ripple at twice the frequency; over whole periods the rate is right
    assert float(rates[-1000:].mean()) == pytest.approx(sigma, abs=0.05 + 0.05 * abs(sigma))
    assert float(jnp.abs(rates[:3999]).max()) == 0.0  # not armed before four long time constants


def test_growth_trips():
    monitor, dt = LimitMonitor(Limits(growth_rate=0.5)), 1e-3

    def step(state, tick):
        z = jnp.exp(1.0 * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        return monitor.step(tick * dt, dt, state, sample(displacement=z))[0], None

    state, _ = jax.lax.scan(step, monitor.start(sample())[0], jnp.arange(1, 8001))
    assert Outcome.from_code(state.code) is Outcome.GROWTH_RATE


@pytest.mark.parametrize(("force", "velocity"), [(3.0, 0.5), ([1.0, -1.0], [0.8, -0.7])])
def test_the_power_across_all_axes_is_watched(force, velocity):
    assert outcome_of(Limits(power=1.4), measured_force=force, velocity=velocity) is Outcome.POWER
    assert outcome_of(Limits(power=1.6), measured_force=force, velocity=velocity) is Outcome.FINISHED


def watch_readings(limits, demands, positions, forces, age=None):
    """The outcome after each tick, from the first on."""
    samples = [
        sample(displacement=z, measured_displacement=x, measured_force=f, age=age)
        for z, x, f in zip(demands, positions, forces, strict=True)
    ]
    return [Outcome.from_code(state.code) for state in states(LimitMonitor(limits), samples)]


def test_a_constant_measurement_during_motion_is_a_frozen_sensor():
    demands, stuck = [1.0, 2.0, 4.0, 8.0, 16.0], [0.5] * 5  # powers of two, so that differences are exact
    found = watch_readings(Limits(frozen_sensor=2), demands, stuck, stuck)
    assert (
        found == [Outcome.FINISHED] * 3 + [Outcome.FROZEN_SENSOR] * 2
    )  # the first reading is new, two may stand still
    assert set(watch_readings(Limits(frozen_sensor=jnp.inf), demands, stuck, stuck)) == {Outcome.FINISHED}
    assert set(watch_readings(Limits(), demands, stuck, stuck)) == {
        Outcome.FINISHED
    }  # nobody said how late the rig is


def test_axes_at_rest_in_turn_are_not_frozen():
    demands = [[float(2**i), float(3**i)] for i in range(6)]
    by_turns = [[float(i // 2), float((i + 1) // 2)] for i in range(6)]
    assert set(watch_readings(Limits(frozen_sensor=1), demands, by_turns, by_turns)) == {Outcome.FINISHED}


def test_a_reading_at_rest_is_not_stale_and_one_that_moves_neither():
    still = [0.5] * 6
    assert set(watch_readings(Limits(frozen_sensor=2), still, still, still)) == {Outcome.FINISHED}
    moving = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert set(watch_readings(Limits(frozen_sensor=2), moving, still, moving)) == {Outcome.FINISHED}


def test_a_displacement_channel_of_a_real_rig_is_frozen_although_the_force_changes():
    moving, still = [1.0, 2.0, 4.0, 8.0, 16.0], [0.5] * 5
    found = watch_readings(Limits(frozen_sensor=2), moving, still, moving, age=0.0)
    assert found == [Outcome.FINISHED] * 3 + [Outcome.FROZEN_SENSOR] * 2


def cycles(force, age=0.0, ticks=200, limit=20):
    """Return the last outcome of two cycles of a sine with the force as a function of position and velocity."""
    phase = 4 * np.pi * np.arange(ticks) / ticks
    samples = [
        sample(
            displacement=np.sin(p),
            velocity=np.cos(p),
            measured_displacement=np.sin(p - 0.1),
            measured_force=force(np.sin(p), np.cos(p)),
            age=age,
        )
        for p in phase
    ]
    return Outcome.from_code(states(LimitMonitor(Limits(frozen_sensor=limit)), samples)[-1].code)


@pytest.mark.parametrize(
    ("force", "outcome"),
    [
        (lambda x, v: 7.0, Outcome.FROZEN_SENSOR),
        (lambda x, v: 0.0, Outcome.FINISHED),  # no contact
        (lambda x, v: -3.0 * np.sign(v), Outcome.FINISHED),  # friction
        (lambda x, v: -100.0 * x, Outcome.FINISHED),
        (lambda x, v: max(-100.0 * x, 0.0), Outcome.FINISHED),  # contact on one side
    ],
)
@pytest.mark.parametrize("age", [0.0, 3.0])
def test_a_force_of_a_real_rig_that_stays_although_the_demand_turns_is_frozen(force, outcome, age):
    """Also behind a link whose every answer is three ticks late."""
    assert cycles(force, age) is outcome
    assert cycles(force, None) is Outcome.FINISHED


def test_only_energy_given_by_the_interface_is_limited():
    limits, outcomes = Limits(interface_energy=0.4995), []  # half a tick below: no doubt of rounding
    for force in (1.0, -1.0):
        shown = sample(measured_force=force, velocity=1.0)  # 1 W over a second of ticks
        monitor = LimitMonitor(limits)
        state, _ = jax.lax.scan(
            lambda x, tick, s=shown, m=monitor: (m.step(tick * 1e-3, 1e-3, x, s)[0], None),
            monitor.start(shown)[0],
            jnp.arange(1, 1001),
        )
        outcomes.append((Outcome.from_code(state.code), int(state.sample)))
    assert outcomes[0] == (Outcome.INTERFACE_ENERGY, 500)
    assert outcomes[1][0] is Outcome.FINISHED


def test_rig_delay_trips_the_energy_limit_before_large_motion():
    """An unstable spring test: the interface feeds it; the same test with no delay takes nothing."""
    fields = {"rate": 1000.0, "duration": 3.0, "limits": Limits(interface_energy=0.05)}
    numerical = dv.mechanics.Oscillator(m=2.2, c=5.0, k=2250.0)
    wall = dv.Sine(amplitude=0.003, frequency=3.0)
    spring = dv.specimens.Spring(k=2250.0)
    late, soon = (
        dv.Test(
            numerical=numerical,
            rig=dv.Rig(actuator=dv.transfer.Delay(d), specimen=spring),
            excitation=wall,
            **fields,
        ).rehearse()
        for d in (9.4e-3, 1e-3)
    )
    assert late.outcome is Outcome.INTERFACE_ENERGY
    assert late.trip.signal == "interface_energy"
    assert late.trip.value == pytest.approx(0.05, rel=0.1)
    assert late.trip.unit == "J"
    assert float(np.abs(late.data.displacement).max()) < 0.02
    assert soon.outcome is Outcome.FINISHED


def test_the_force_of_an_axis_that_turns_has_the_limit_of_the_torque():
    turns, limits = (False,) * 3 + (True,) * 3, Limits(force=100.0, torque=5.0)
    for force, outcome in (
        ([50.0, 0.0, 0.0, 0.0, 4.0, 0.0], Outcome.FINISHED),
        ([50.0, 0.0, 0.0, 0.0, -6.0, 0.0], Outcome.TORQUE),
        ([0.0, 101.0, 0.0, 0.0, 0.0, 0.0], Outcome.FORCE),
    ):
        assert outcome_of(limits, turns, measured_force=force) is outcome
    assert limits.rig_limits(turns)["force"].tolist() == [100.0] * 3 + [5.0] * 3
    assert Limits(force=100.0).rig_limits(()) == {"force": 100.0}


@pytest.mark.parametrize(("back", "outcome"), [(1.5, Outcome.CONTACT_ENERGY), (0.5, Outcome.FINISHED)])
def test_a_contact_that_returns_more_energy_than_it_received_trips(back, outcome):
    samples = [
        sample(velocity=1.0)
        | {
            "penetration": jnp.asarray(depth),
            "contact_energy": jnp.zeros(()),
            "feedback_force": jnp.asarray(force),  # held over the next tick: in, out, apart
        }
        for force, depth in ((0.0, -1.0), (-1.0, 0.1), (back, 0.1), (0.0, 0.1), (0.0, -1.0))
    ]
    assert Outcome.from_code(states(LimitMonitor(Limits()), samples)[-1].code) is outcome


def test_initial_monitor_state_has_the_types_of_later_states():
    """A number of a looser type would have every loop that carries it compiled a second time."""
    monitor = Rehearse().monitor(dv.load(find_test("substructuring/cs1")))
    assert not [leaf for leaf in jax.tree.leaves(monitor.empty_state((6,))) if leaf.weak_type]


def test_a_demand_that_moves_less_than_a_thousandth_of_its_largest_does_not_make_a_reading_stale():
    stuck = [0.5] * 6
    for step, last in ((0.9e-3, Outcome.FINISHED), (1.1e-3, Outcome.FROZEN_SENSOR), (1e-6, Outcome.FINISHED)):
        demands = [0.0, 2.0, *(2.0 * (1.0 + step) for _ in range(4))]
        readings = [0.0, *stuck[1:]]  # follows the first move, then stands still
        assert watch_readings(Limits(frozen_sensor=2), demands, readings, readings)[-1] is last
