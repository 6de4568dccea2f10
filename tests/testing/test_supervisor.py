"""The supervisor: each limit, the first breach, growth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError
from dovetail.testing import Limits, Outcome
from dovetail.testing.supervisor import Watch

CALM = dict.fromkeys(("displacement", "velocity", "acceleration", "measured_force", "tracking_error"), 0.0)


def look(limits, **signals):
    watch = Watch(limits)
    values = {name: jnp.asarray(value) for name, value in {**CALM, **signals}.items()}
    state, _ = watch.step(7, 1e-3, watch.init(), values)
    return Outcome.from_code(state["code"])


@pytest.mark.parametrize(
    ("limit", "signal", "outcome"),
    [
        ("displacement", "displacement", Outcome.DISPLACEMENT),
        ("velocity", "velocity", Outcome.VELOCITY),
        ("force", "measured_force", Outcome.FORCE),
        ("tracking", "tracking_error", Outcome.TRACKING),
        ("acceleration", "acceleration", Outcome.ACCELERATION),
    ],
)
def test_each_limit_trips_on_either_side_and_not_at_it(limit, signal, outcome):
    limits = Limits(**{limit: 2.0})
    assert look(limits, **{signal: 2.0}) is Outcome.FINISHED
    assert look(limits, **{signal: 2.1}) is outcome
    assert look(limits, **{signal: -2.1}) is outcome
    assert look(limits, **{signal: [0.0, -2.1]}) is outcome


@pytest.mark.parametrize("value", [jnp.nan, jnp.inf])
def test_what_is_not_finite_trips_before_any_limit(value):
    assert look(Limits(force=1.0), measured_force=value) is Outcome.NOT_FINITE


def test_the_first_breach_is_kept():
    watch = Watch(Limits(displacement=1.0, force=1.0))
    state = watch.init()
    for tick, signals in enumerate([{}, {"measured_force": 2.0}, {"displacement": 2.0}], start=1):
        values = {name: jnp.asarray(v) for name, v in {**CALM, **signals}.items()}
        state, _ = watch.step(tick, 1e-3, state, values)
    assert Outcome.from_code(state["code"]) is Outcome.FORCE
    assert state["tick"] == 2


@pytest.mark.parametrize("sigma", [-0.3, 0.2, 1.0, 3.0])
def test_the_growth_rate_of_an_exponential_envelope_is_found(sigma):
    watch, dt = Watch(Limits(growth_window=0.25)), 1e-3
    state = watch.init()

    def step(state, tick):
        z = jnp.exp(sigma * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        return watch.step(tick, dt, state, {**CALM, "displacement": z})

    _, rates = jax.lax.scan(step, state, jnp.arange(1, 8001))
    # the means ripple at twice the frequency; over whole periods the rate is right
    assert float(rates[-1000:].mean()) == pytest.approx(sigma, abs=0.05 + 0.05 * abs(sigma))
    assert float(jnp.abs(rates[:3999]).max()) == 0.0  # not armed before four long time constants


def test_growth_trips():
    watch, dt = Watch(Limits(growth=0.5)), 1e-3

    def step(state, tick):
        z = jnp.exp(1.0 * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        return watch.step(tick, dt, state, {**CALM, "displacement": z})

    state, _ = jax.lax.scan(step, watch.init(), jnp.arange(1, 8001))
    assert Outcome.from_code(state["code"]) is Outcome.GROWTH


def test_a_limit_of_zero_is_refused():
    with pytest.raises(ParameterError, match=r"Limits\.force: got 0; must be above 0 N"):
        Limits(force=0.0)


@pytest.mark.parametrize(("force", "velocity"), [(3.0, 0.5), ([1.0, -1.0], [0.8, -0.7])])
def test_the_power_across_all_axes_is_watched(force, velocity):
    assert look(Limits(power=1.4), measured_force=force, velocity=velocity) is Outcome.POWER
    assert look(Limits(power=1.6), measured_force=force, velocity=velocity) is Outcome.FINISHED


def watch_readings(limits, demands, positions, forces):
    """The outcome after each tick."""
    watch, found = Watch(limits), []
    state = watch.init({name: jnp.asarray(value) for name, value in CALM.items()})
    for tick, (z, x, f) in enumerate(zip(demands, positions, forces, strict=True), start=1):
        signals = {**CALM, "displacement": z, "tracking_error": z - x, "measured_force": f}
        values = {name: jnp.asarray(value) for name, value in signals.items()}
        state, _ = watch.step(tick, 1e-3, state, values)
        found.append(Outcome.from_code(state["code"]))
    return found


def test_a_reading_that_stands_still_while_the_demand_moves_is_stale():
    demands, stuck = [1.0, 2.0, 4.0, 8.0, 16.0], [0.5] * 5  # powers of two, so that differences are exact
    found = watch_readings(Limits(stale=3), demands, stuck, stuck)
    assert found == [Outcome.FINISHED] * 3 + [Outcome.STALE] * 2  # the first reading is new
    assert set(watch_readings(Limits(), demands, stuck, stuck)) == {Outcome.FINISHED}


def test_a_reading_at_rest_is_not_stale_and_one_that_moves_neither():
    still = [0.5] * 6
    assert set(watch_readings(Limits(stale=2), still, still, still)) == {Outcome.FINISHED}
    moving = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert set(watch_readings(Limits(stale=2), moving, still, moving)) == {Outcome.FINISHED}


def test_energy_that_the_interface_gives_is_watched_and_what_it_takes_is_not():
    limits, outcomes = Limits(energy=0.4995), []  # half a tick below: no doubt of rounding
    for force in (1.0, -1.0):
        signals = {**CALM, "measured_force": force, "velocity": 1.0}  # 1 W over a second of ticks
        signals = {name: jnp.asarray(value) for name, value in signals.items()}
        watch = Watch(limits)
        state, _ = jax.lax.scan(
            lambda x, tick, s=signals, w=watch: w.step(tick, 1e-3, x, s), watch.init(), jnp.arange(1, 1001)
        )
        outcomes.append((Outcome.from_code(state["code"]), int(state["tick"])))
    assert outcomes[0] == (Outcome.ENERGY, 500)
    assert outcomes[1][0] is Outcome.FINISHED


def test_a_late_rig_trips_the_energy_limit_before_the_motion_is_large():
    """An unstable spring test: the interface feeds it; the same test with no delay takes nothing."""
    fields = {"rate": 1000.0, "duration": 3.0, "limits": Limits(energy=0.05)}
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
    assert late.outcome is Outcome.ENERGY
    assert late.trip.signal == "interface_energy"
    assert late.trip.value == pytest.approx(0.05, rel=0.1)
    assert late.trip.unit == "J"
    assert float(np.abs(late.data.displacement).max()) < 0.02
    assert soon.outcome is Outcome.FINISHED


def test_the_force_of_an_axis_that_turns_has_the_limit_of_the_torque():
    axes = ("x", "y", "z", "roll", "pitch", "yaw")
    limits = Limits(force=100.0, torque=5.0).by_axis(axes)
    assert limits.force.tolist() == [100.0] * 3 + [5.0] * 3
    assert Limits(force=100.0, torque=5.0).by_axis(("port", "up")).force.tolist() == 100.0
    force = [50.0, 0.0, 0.0, 0.0, 6.0, 0.0]
    assert look(limits, measured_force=force) is Outcome.FORCE
    assert look(limits, measured_force=[50.0, 0.0, 0.0, 0.0, 4.0, 0.0]) is Outcome.FINISHED
