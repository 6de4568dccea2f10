"""Two small test benches: a compensator before a late actuator, and the same inside a hybrid loop."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import MeasuredForce

DT = 1e-3  # [s]
LONGEST = 24  # [samples] longest actuator delay the benches can make


class Signal(dict):
    """Displacement, velocity and acceleration at t = dt, 2 dt, ..."""

    def __init__(self, time, displacement, velocity, acceleration):
        super().__init__(displacement=displacement, velocity=velocity, acceleration=acceleration)
        self.time = time


def sine(frequency, amplitude=0.01, duration=3.0):
    """A sine [Hz, m, s]."""
    t = DT * np.arange(1, round(duration / DT) + 1)
    w = 2 * np.pi * frequency
    return Signal(
        t, amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w**2 * np.sin(w * t)
    )


def sweep(low=3.0, high=10.0, half=5.0, amplitude=0.01):
    """From the low to the high frequency [Hz] in `half` seconds and back again."""
    t = DT * np.arange(1, round(2 * half / DT) + 1)
    rate = (high - low) / half
    s = t - half
    turns = np.where(
        s <= 0, low * t + rate * t**2 / 2, low * half + rate * half**2 / 2 + high * s - rate * s**2 / 2
    )
    w = 2 * np.pi * np.where(s <= 0, low + rate * t, high - rate * s)
    phase = 2 * np.pi * turns
    slope = np.where(s <= 0, 1.0, -1.0) * 2 * np.pi * rate
    z, v = amplitude * np.sin(phase), amplitude * w * np.cos(phase)
    return Signal(t, z, v, amplitude * slope * np.cos(phase) - w**2 * z)


def late(commands, delay, dt=DT):
    """The newest-first commands as they were `delay` [s] ago, straight between samples."""
    samples = jnp.asarray(delay) / dt
    whole = jnp.clip(jnp.floor(samples), 0, LONGEST - 2).astype(int)
    part = samples - whole

    def at(i):
        return jnp.take_along_axis(commands, jnp.broadcast_to(i, commands.shape[1:])[None], axis=0)[0]

    return (1 - part) * at(whole) + part * at(whole + 1)


def open_loop(compensator, signal, delay=0.0, gain=1.0, actuator=None):
    """Demand -> compensator -> actuator; a dictionary of recorded arrays, with `x` the response.

    The actuator is a delay with a gain, or a transfer system.
    """
    demand = {name: jnp.asarray(value) for name, value in signal.items()}
    shape = demand["displacement"].shape[1:]
    compensator = compensator.with_sample_time(DT, shape)
    actuator = actuator and actuator.with_sample_time(DT, shape)
    time, delay, gain = (jnp.asarray(value, float) for value in (signal.time, delay, gain))
    return _open_loop(compensator, time, demand, delay, gain, actuator)


@eqx.filter_jit
def _open_loop(compensator, time, demand, delay, gain, actuator):
    """One program for all compensators of a make and signals of a length."""
    shape = demand["displacement"].shape[1:]

    def respond(t, commands, command):
        if actuator is not None:
            return actuator.step(t, DT, commands, command)
        commands = jnp.concatenate([command[None], commands[:-1]])
        return commands, gain * late(commands, delay)

    def tick(carry, now):
        state, commands, x = carry
        u = {**now[1], "measured_displacement": x, "measured_force": jnp.zeros(shape)}
        state, out = compensator.step(now[0] - DT, DT, state, u)
        commands, x = respond(now[0] - DT, commands, out["command"])
        return (state, commands, x), {**out, "x": x}

    at_rest = jnp.zeros((LONGEST, *shape)) if actuator is None else actuator.init()
    start = (compensator.init(), at_rest, jnp.zeros(shape))
    return jax.lax.scan(tick, start, (time, demand))[1]


def hybrid_loop(
    compensator,
    *,
    delay,
    c,
    m=2.2,
    k=2250.0,
    k_s=2250.0,
    amplitude=0.005,
    frequency=3.0,
    duration=4.0,
    feedback=None,
):
    """Mass, damper and spring on a moving wall [kg, N s/m, N/m], with a spring k_s on a late actuator.

    The force is held over each step; the wall and the oscillator are stepped by RK4.
    """
    compensator = compensator.with_sample_time(DT)
    feedback = (feedback or MeasuredForce()).with_sample_time(DT)
    w = 2 * np.pi * frequency
    numbers = [jnp.asarray(value, float) for value in (delay, c, m, k, k_s, amplitude, w)]
    return _hybrid_loop(compensator, feedback, *numbers, round(duration / DT))


@eqx.filter_jit
def _hybrid_loop(compensator, feedback, delay, c, m, k, k_s, amplitude, w, steps):
    """One program for all compensators of a make and runs of a length."""

    def rate(t, s, force):
        r, r_dot = amplitude * jnp.sin(w * t), amplitude * w * jnp.cos(w * t)
        return jnp.array([s[1], (force - c * (s[1] - r_dot) - k * (s[0] - r)) / m])

    def tick(carry, t):
        s, state, fed_back, commands, x, force = carry
        k1 = rate(t, s, force)
        k2 = rate(t + DT / 2, s + DT / 2 * k1, force)
        k3 = rate(t + DT / 2, s + DT / 2 * k2, force)
        k4 = rate(t + DT, s + DT * k3, force)
        s = s + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        motion = {"displacement": s[0], "velocity": s[1], "acceleration": rate(t + DT, s, force)[1]}
        reading = {"measured_displacement": x, "measured_force": -k_s * x}
        state, out = compensator.step(t, DT, state, {**motion, **reading})
        commands = jnp.concatenate([out["command"][None], commands[:-1]])
        x = late(commands, delay)
        fed_back, used = feedback.step(t, DT, fed_back, {**motion, "measured_force": -k_s * x})
        return (s, state, fed_back, commands, x, used["feedback_force"]), {**out, **used, "z": s[0], "x": x}

    zero = jnp.asarray(0.0)
    start = (jnp.zeros(2), compensator.init(), feedback.init(), jnp.zeros(LONGEST), zero, zero)
    return jax.lax.scan(tick, start, DT * jnp.arange(steps))[1]


def rms_ratio(error, signal, start=0.0):
    """Root mean square of an error over that of a signal, from `start` [s] on."""
    first = round(start / DT)
    error, signal = np.asarray(error)[first:], np.asarray(signal)[first:]
    return np.sqrt(np.mean(error**2, axis=0) / np.mean(signal**2, axis=0))


@pytest.fixture
def bench():
    """The test benches and their signals, under one name."""

    class Bench:
        dt = DT

    for function in (sine, sweep, open_loop, hybrid_loop, rms_ratio):
        setattr(Bench, function.__name__, staticmethod(function))
    return Bench
