"""Speed of a rehearsal, relative to the same loop in plain NumPy, and of rehearsals in a batch."""

import dataclasses
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sizes import sized

import dovetail as dv
from dovetail.core.advance import compiled_advance, compiled_begin
from dovetail.core.keep import Rows
from dovetail.testing import Rehearse

DELAY, RATE = 6.1e-3, 1000.0  # [s], [Hz]
TICKS = sized(1_000_000, 20_000)
PLAIN = sized(20_000, 500)  # ticks of the plain loop


def cs1(duration: float) -> dv.Test:
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(DELAY), specimen=dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=RATE,
        duration=duration,
    )


def plain_loop(ticks: int) -> dict[str, np.ndarray]:
    """Compute, monitor and record the same loop in plain Python and NumPy."""
    m, c, k, k_s, c_s, dt = 2.2, 15.0, 2250.0, 2250.0, 0.0, 1 / RATE
    w, amplitude, window = 2 * np.pi * 3.0, 0.012, 0.25
    limits = {"displacement": np.inf, "velocity": np.inf, "measured_force": np.inf, "tracking": np.inf}
    samples = int(DELAY * RATE)
    s = DELAY * RATE - samples
    # Lagrange weights for delays of `samples` - 1 to `samples` + 2
    weights = np.array(
        [-s * (s - 1) * (s - 2), 3 * (s + 1) * (s - 1) * (s - 2), -3 * (s + 1) * s * (s - 2), 0.0]
    )
    weights[3] = (s + 1) * s * (s - 1)
    weights /= 6

    def excite(t):
        return amplitude * np.sin(w * t), amplitude * w * np.cos(w * t)

    def rate(t, x, force):
        r, r_rate = excite(t)
        return np.array([x[1], (force - c * (x[1] - r_rate) - k * (x[0] - r)) / m])

    names = ("excitation", "displacement", "velocity", "acceleration", "command", "achieved_displacement")
    names += ("measured_displacement", "specimen_force", "measured_force", "feedback_force", "growth_rate")
    record = {name: np.zeros(ticks) for name in names}
    history = np.zeros(samples + 4)
    x, force, short, long, p1, p2 = np.zeros(2), 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(ticks):
        t = i * dt
        k1 = rate(t, x, force)
        k2 = rate(t + dt / 2, x + dt / 2 * k1, force)
        k3 = rate(t + dt / 2, x + dt / 2 * k2, force)
        k4 = rate(t + dt, x + dt * k3, force)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        acceleration = rate(t + dt, x, force)[1]
        history = np.concatenate([x[:1], history[:-1]])
        p0 = weights @ history[samples - 1 : samples + 3]
        speed = ((p0 - p2) / 2 + (p0 - 2 * p1 + p2)) / dt
        p1, p2 = p0, p1
        force = -k_s * p0 - c_s * speed
        short += dt / (window + dt) * (x[0] ** 2 - short)
        long += dt / (4 * window + dt) * (x[0] ** 2 - long)
        ratio = short / long if long > 0 else 0.0
        growth = (ratio - 1) / (2 * window * (4 - min(ratio, 3.99))) if t > 16 * window else 0.0
        monitored = {"displacement": x[0], "velocity": x[1], "measured_force": force, "tracking": x[0] - p0}
        if not all(np.isfinite(value) for value in monitored.values()):
            break
        if any(np.abs(value) > limits[name] for name, value in monitored.items()):
            break
        values = (excite(t + dt)[0], x[0], x[1], acceleration, x[0], p0, p0, force, force, force, growth)
        for name, value in zip(names, values, strict=True):
            record[name][i] = value
    return record


def best_of(repeats, call):
    """Return the shortest time [s] of some calls."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


@pytest.fixture(scope="module")
def single():
    """Ticks per second of a compiled rehearsal with all signals recorded, and its compile time [s]."""
    mode, test = Rehearse(), cs1(TICKS / RATE).prepare()
    system, clock, monitor = mode.system(test), mode.clock(test), mode.monitor(test)
    size = TICKS // 20  # as in a rehearsal

    def rehearse():
        state, _ = compiled_begin(system, monitor, Rows())
        for _ in range(0, TICKS, size):
            advanced = compiled_advance(system, clock, monitor, Rows(), state, size)
            state, _, records = jax.block_until_ready(advanced)

    begin = time.perf_counter()
    rehearse()
    first = time.perf_counter() - begin
    again = best_of(sized(5, 1), rehearse)
    return TICKS / again, first - again


def test_single_rehearsal(single, figure):
    ticks = PLAIN
    plain = plain_loop(ticks)
    seconds = best_of(1, lambda: plain_loop(ticks))
    short = cs1(ticks / RATE)
    run = short.rehearse()
    difference = np.abs(run.data.displacement.values[1:] - plain["displacement"]).max() / 0.012
    accuracy = f"displacement within {difference:.1e} of the amplitude from the plain loop"
    assert difference < 1e-9
    figure(
        "rehearsal of CS1, RK4, 6.1 ms delay, all signals recorded",
        single[0],
        "ticks/s",
        target=5e6,
        accuracy=accuracy,
    )
    figure("compile time of that loop", single[1], "s", target=3.0, at_least=False)
    figure(
        "ratio to the same loop in plain NumPy",
        single[0] / (ticks / seconds),
        "x",
        target=500,
        accuracy=accuracy,
    )


def test_batch_of_rehearsals(single, figure):
    """Rehearsals with different delays, each reduced to one measure, relative to the same one by one."""
    count, duration = sized((1000, 10.0), (20, 0.5))
    test = cs1(duration).prepare()
    delays = jnp.linspace(1e-3, 6e-3, count)
    reference = jnp.asarray(dataclasses.replace(cs1(duration)).reference().data.displacement.values[1:])

    def measure(delay):
        records = dv.simulate(eqx.tree_at(lambda t: t.rig.actuator.delay, test, delay))[1]
        return jnp.sqrt(jnp.mean((records["displacement"] - reference) ** 2) / jnp.mean(reference**2))

    one, many = jax.jit(measure), jax.jit(lambda delays: jax.lax.map(measure, delays, batch_size=count // 10))
    errors = np.asarray(many(delays))
    alone = np.array([float(one(delay)) for delay in delays[:: count // 10]])
    difference = np.abs(errors[:: count // 10] / alone - 1).max()
    assert difference < 1e-9
    ticks = count * test.tick_count
    batch = ticks / best_of(sized(3, 1), lambda: jax.block_until_ready(many(delays)))
    singly = (
        20
        * test.tick_count
        / best_of(sized(3, 1), lambda: [jax.block_until_ready(one(d)) for d in delays[:20]])
    )
    figure(
        f"{count:,} rehearsals by vmap over single compiled rehearsals",
        batch / singly,
        "x",
        target=3.0,
        accuracy=f"rms errors within {difference:.1e}; {batch:.2g} against {singly:.2g} ticks/s",
    )
