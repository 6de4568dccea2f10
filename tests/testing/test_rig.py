"""The virtual rig: the command between ticks, sub-steps, motion of the specimen."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core import Parameter, parameter
from dovetail.specimens import Memoryless, Specimen

DT = 1e-3


class Mass(Specimen):
    """Force of a mass, with its own momentum integrated as memory."""

    inertial = True
    m: Parameter = parameter("kg", "mass")

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return u["velocity"]

    def output(self, t, x, u):
        return {"force": -self.m * u["acceleration"], "excitation": x}


def drive(rig, command, ticks):
    rig = rig.with_sample_time(DT, ())
    times = (jnp.arange(ticks) + 1) * DT

    def step(x, t):
        return rig.step(t - DT, DT, x, command(t))

    return times, jax.lax.scan(step, rig.init(), times)[1]


def test_a_rig_without_delay_answers_within_the_tick():
    rig = dv.Rig(actuator=dv.transfer.Delay(0.0), specimen=dv.specimens.Spring(k=10.0))
    times, reading = drive(rig, jnp.sin, 20)
    np.testing.assert_allclose(reading["measured_force"], -10.0 * jnp.sin(times), rtol=1e-14)


def test_the_first_reading_is_the_force_at_rest_at_the_time_zero():
    class Relaxing(Memoryless):
        def output(self, t, x, u):
            return {"force": 5.0 * jnp.exp(-t) - 100.0 * u["displacement"]}

    rig = dv.Rig(dv.transfer.Series(()), Relaxing()).with_sample_time(DT)
    assert float(rig.first_reading(rig.init())["measured_force"]) == 5.0


def test_a_held_command_adds_one_tick():
    rig = dv.Rig(dv.transfer.Delay(0.0), dv.specimens.Spring(k=10.0), command_hold="zoh")
    times, reading = drive(rig, jnp.sin, 20)
    np.testing.assert_allclose(reading["achieved_displacement"], jnp.sin(times - DT), atol=1e-14)


@pytest.mark.parametrize("substeps", [1, 4])
def test_the_specimen_velocity_is_accurate_to_second_order(substeps):
    rig = dv.Rig(dv.transfer.Delay(0.0), dv.specimens.Spring(k=0.0, c=1.0), substeps=substeps)
    times, reading = drive(rig, lambda t: jnp.sin(20.0 * t), 200)
    force = reading["specimen_force"][5:]
    true = -20.0 * jnp.cos(20.0 * times[5:])
    assert float(jnp.abs(force - true).max()) < 20.0 * (20.0 * DT) ** 2 / 2  # (w dt)^2/3 by Taylor


def test_substeps_sharpen_a_ramped_command():
    """Between ticks a parabola is closer to a smooth demand than a straight line."""
    errors = {}
    for between in ("quadratic", "foh"):
        rig = dv.Rig(
            dv.transfer.Delay(0.0), dv.specimens.Spring(k=0.0, c=1.0), substeps=10, command_hold=between
        )
        times, reading = drive(rig, lambda t: jnp.sin(20.0 * t), 200)
        errors[between] = float(jnp.abs(reading["specimen_force"][5:] + 20 * jnp.cos(20 * times[5:])).max())
    assert errors["quadratic"] < errors["foh"] / 10


def test_a_specimen_with_memory_integrates_its_imposed_motion():
    rig = dv.Rig(dv.transfer.Delay(0.0), Mass(m=2.0), substeps=2)
    times, reading = drive(rig, lambda t: 0.5 * t**2, 100)
    np.testing.assert_allclose(reading["excitation"], 0.5 * times**2, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(reading["specimen_force"][5:], -2.0, rtol=1e-6)


def test_sensors_affect_measurements_only():
    rig = dv.Rig(
        dv.transfer.Delay(0.0),
        dv.specimens.Spring(k=10.0),
        sensor=dv.transfer.Gain(2.0),
        position_sensor=dv.transfer.Gain(0.5),
    )
    _, reading = drive(rig, jnp.sin, 10)
    np.testing.assert_allclose(reading["measured_force"], 2.0 * reading["specimen_force"])
    np.testing.assert_allclose(reading["measured_displacement"], 0.5 * reading["achieved_displacement"])


def test_an_axis_each():
    rig = dv.Rig(dv.transfer.Delay([0.0, 1e-3]), dv.specimens.Spring(k=[1.0, 2.0])).with_sample_time(DT, (2,))
    x, first = rig.step(0.0, DT, rig.init(), jnp.array([1.0, 1.0]))
    assert first["measured_force"].shape == (2,)
    np.testing.assert_allclose(first["measured_force"], [-1.0, 0.0])
    _, second = rig.step(DT, DT, x, jnp.array([1.0, 1.0]))
    np.testing.assert_allclose(second["measured_force"], [-1.0, -2.0])
