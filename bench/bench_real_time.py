"""Real time: what the compiled loop adds to the machine's own floor, and whether a test keeps its deadline.

The floor is measured in the same run: a bare C loop that sleeps and exchanges the same datagrams with the
same peer (`bare_loop.c`). Lengths are set by DOVETAIL_BENCH_SECONDS (60 by default); numbers mean something
on an idle machine only.
"""

import dataclasses
import importlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.links import Address, Hello, RealTime, RemoteRig, Settings, connect
from dovetail.links.native import NativeTick, available
from dovetail.links.watching import Ring
from dovetail.studies.registry import find_test
from dovetail.testing import loop

SECONDS = float(os.environ.get("DOVETAIL_BENCH_SECONDS", "60"))
ROOT = Path(__file__).resolve().parents[1]
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(bool(available()) or COMPILER is None, reason="no compiler")
QUANTILES = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}


def built(source, folder):
    target = folder / source.stem
    subprocess.run([COMPILER, "-O2", "-o", target, source, "-lm"], check=True)
    return target


@pytest.fixture(scope="module")
def c_rig(tmp_path_factory):
    """The reference rig in C, in its own process; its address."""
    program = built(ROOT / "examples" / "rig_in_c" / "rig.c", tmp_path_factory.mktemp("rig"))
    words = [program, "--port", "0", "--stiffness", "2250", "--lag", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    yield f"udp://127.0.0.1:{process.stdout.readline().split()[1]}"
    process.terminate()
    process.wait(10)
    process.stdout.close()


class Served:
    """`dovetail rig serve`, in its own process."""

    def __init__(self, name, changes):
        words = [sys.executable, "-m", "dovetail", "rig", "serve", name, "--port", "0"]
        for path, value in changes.items():
            words += ["--set", f"{path}={value}"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"udp://\S+:\d+", self.process.stdout.readline())[0]

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.process.stdout.close()


def cs1(rate, duration, **changes):
    values = {"rate": rate, "duration": duration, "limits.silence": 2000, **changes}
    return dv.load(find_test("substructuring/cs1"), values)


def test_the_loop_adds_little_to_the_tick(figure):
    """Time per tick of the whole program, less that of its tick and of its models."""
    test = cs1(1000.0, 20.0).prepared()
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        # deadlines long past and no waiting: what is left is the work
        settings = Settings(7, 1, 2, 1, 10**12, wait=1, spin=0, grace=10**18)
        tick = NativeTick(settings, near)
        signals = (("measured_displacement", ()), ("measured_force", ()))
        rig = RemoteRig(jnp.asarray(tick.handle, dtype=int), jnp.zeros(2), signals, True)
        ready, run = dataclasses.replace(test, rig=rig), importlib.import_module("dovetail.links.run")
        shapes = jax.eval_shape(lambda: run._records(ready))
        ring = Ring({name: of.shape for name, of in shapes.items()}, test.tick_count, test.dt)
        rings = jnp.asarray([ring.handle, 0], dtype=int)
        program = eqx.filter_jit(run._whole).lower(ready, rings, (1, 1)).compile()
        whole = best(lambda: jax.block_until_ready(program(ready, rings, (1, 1)))) / test.tick_count
        alone = eqx.filter_jit(_only_ticks).lower(rig, test.tick_count).compile()
        bare = best(lambda: jax.block_until_ready(alone(rig, test.tick_count))) / test.tick_count
    shown = {name: jnp.zeros(test.tick_count + 2) for name, _ in signals}
    recorded = dataclasses.replace(test, rig=dv.testing.RecordedRig(shown))
    model = best(lambda: jax.block_until_ready(loop.compiled_simulate(recorded))) / test.tick_count
    figure("compiled loop with tick: time a tick", 1e6 * whole, "us")
    figure("of it the calls out, with their system calls", 1e6 * bare, "us")
    figure("of it numerical substructure, compensator, supervisor", 1e6 * model, "us")
    figure("loop overhead a tick", 1e6 * (whole - bare - model), "us", target=5.0, at_least=False)


def _only_ticks(rig, count):
    """The calls of a loop and nothing else."""

    def step(x, k):
        x, reading = rig.step(k, 1.0, x, jnp.zeros(()))
        return rig.settle(x, 0), reading["measured_force"]

    return jax.lax.scan(step, rig.init(), jnp.arange(float(count)))


def best(call, times=5):
    call()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def bare_loop(url, rate, seconds, folder):
    """Lateness and exchange times [s] of the bare C loop."""
    program = built(ROOT / "bench" / "bare_loop.c", folder)
    hello = Hello(axes=1, rate=rate, silence=2000)
    with connect(Address.parse(url), hello, None) as connection:
        words = [program, connection.welcome.port, f"{connection.welcome.session:x}"]
        words += [round(1e9 / rate), 60_000, round(seconds * rate), connection.welcome.count]
        done = subprocess.run([str(word) for word in words], capture_output=True, check=True)
    return np.frombuffer(done.stdout).reshape(-1, 2).T


def test_the_exchange_is_close_to_the_floor(figure, c_rig, tmp_path):
    """The loop of CS1 at 1 kHz and the bare loop with the same rig, in turns; of each the median of the turns."""
    seconds, turns = min(SECONDS / 3, 10.0), 3
    rows, lost = {"exchange": [], "lateness": []}, 0
    for _ in range(turns):
        late, exchange = bare_loop(c_rig, 1000.0, seconds, tmp_path)
        run = cs1(1000.0, seconds).run(c_rig, real_time=RealTime(native=True, priority=0, lock=False))
        rows["exchange"].append((exchange, run.data.exchange_time.values[1:]))
        rows["lateness"].append((late, run.data.tick_lateness.values[1:]))
        lost += run.data.attrs["datagrams_lost"]
    for name, pairs in rows.items():
        for word, q in QUANTILES.items():
            each = np.array([[np.quantile(values, q) for values in pair] for pair in pairs])
            low, got = np.median(each, axis=0)
            target = 1.3 if word in ("median", "99.9 %") else None
            told = f"floor {1e6 * low:.1f} us, loop {1e6 * got:.1f} us"
            figure(
                f"{name}, {word}, over bare C", got / low, "", target=target, at_least=False, accuracy=told
            )
    figure("unanswered exchanges at 1 kHz", lost, "", target=0, at_least=False)


@pytest.mark.parametrize("rate", [1000.0, 2000.0, 5000.0, 10_000.0])
def test_an_adaptive_test_keeps_its_deadline(figure, rate):
    """CS1 with adaptive forward prediction against a served rig: punctual, and as the rehearsal says."""
    # the predictor looks back over the published 10 ms at every rate: over 10 samples of a faster one it would
    # be unstable, in rehearsal too
    changes = {
        "rate": rate,
        "duration": SECONDS,
        "limits.silence": 2000,
        "compensator.window": round(rate / 100),
    }
    test = dv.load(find_test("substructuring/cs1-afp"), changes)
    with Served("substructuring/cs1-afp", changes) as url:
        run = test.run(url)
    name = f"{rate / 1000:g} kHz"
    told = f"{run.outcome.name.lower()} after {run.data.sizes['time'] - 1} ticks"
    figure(
        f"{name}: share of the test that was run", (run.data.sizes["time"] - 1) / test.tick_count, target=1
    )
    punctual(figure, name, run, told)
    # the rehearsal's spread: the rig's delay as it is, and a tick to either side
    delays = float(test.rig.actuator.delay) + test.dt * np.array([-1.0, 0.0, 1.0])
    spread = [tracking(test.with_values(**{"rig.actuator.delay": d}).rehearse().data) for d in delays]
    told += (
        f"; {1e6 * tracking(run.data):.1f} um, rehearsals {1e6 * min(spread):.1f} to {1e6 * max(spread):.1f}"
    )
    ratio = tracking(run.data) / max(spread)
    figure(
        f"{name}: tracking error over the rehearsals' largest", ratio, target=1, at_least=False, accuracy=told
    )


def punctual(figure, name, run, told):
    """Figures of the clock: how late, how many, and the budget of a tick."""
    late, compute = run.data.tick_lateness.values[1:], run.data.compute_time.values[1:]
    if not len(late):
        figure(f"{name}: ticks late by half a tick or more", np.nan, "%", accuracy=told)
        return
    dt = run.test.dt
    words = ", ".join(f"{word} {1e6 * np.quantile(late, q):.1f} us" for word, q in QUANTILES.items())
    share = 100 * np.mean(late > dt / 2)
    figure(f"{name}: ticks late by half a tick or more", share, "%", accuracy=f"{told}; late {words}")
    exchange = run.data.exchange_time.values[1:]
    words = ", ".join(f"{word} {1e6 * np.quantile(exchange, q):.1f} us" for word, q in QUANTILES.items())
    lost = run.data.attrs["datagrams_lost"]
    figure(
        f"{name}: budget used, 99.9 %, compute and exchange over the tick",
        float(np.quantile(compute + exchange, 0.999)) / dt,
        accuracy=f"compute {1e6 * np.median(compute):.1f} us; exchange {words}; {lost} unanswered",
    )


def test_the_hose_of_a_refuelling_test_keeps_its_deadline(figure):
    """A hose of 20 links with its drogue at 2 kHz, six axes, against the served funnel."""
    changes = {"rate": 2000.0, "limits.silence": 2000}
    test = dv.load(find_test("refuelling/full-scale"), changes)
    with Served("refuelling/full-scale", changes) as url:
        run = test.run(url)
    name = "20-link hose, 2 kHz"
    told = f"{run.outcome.name.lower()} after {run.data.sizes['time'] - 1} ticks"
    figure(
        f"{name}: share of the test that was run", (run.data.sizes["time"] - 1) / test.tick_count, target=1
    )
    punctual(figure, name, run, told)
    rehearsed = test.rehearse().data
    both = slice(0, min(run.data.sizes["time"], rehearsed.sizes["time"]))
    apart = np.abs(run.data.drogue_position.values[both] - rehearsed.drogue_position.values[both]).max()
    figure(f"{name}: drogue apart from its rehearsal", 1e3 * apart, "mm", accuracy=told)


def tracking(data):
    """Root mean square of demand less measured, in the second half."""
    half = data.isel(time=slice(data.sizes["time"] // 2, None))
    return float(np.sqrt(((half.displacement - half.measured_displacement) ** 2).mean()))


def test_the_predicted_critical_delay_is_where_the_loop_goes_unstable(figure):
    """The rig's delay is stepped up; the growth of the real-time loop crosses zero at the predicted delay."""
    # a kick and then free vibration: the sign of its growth is the verdict
    free = {
        "limits.displacement": 10.0,
        "limits.velocity": 1e3,
        "limits.force": 1e6,
        "excitation.frequency": 50.0,
    }
    base = {"rate": 1000.0, "duration": 4.0, "limits.silence": 2000, **free}
    predicted = dv.load(find_test("substructuring/cs1"), base).stability()
    critical = predicted.critical_delay - predicted.half_tick
    delays, growths, ends = critical * np.array([0.85, 0.95, 1.05, 1.15]), [], []
    for delay in delays:
        changes = {**base, "rig.actuator.delay": float(delay)}
        test = dv.load(find_test("substructuring/cs1"), changes)
        with Served("substructuring/cs1", changes) as url:
            run = test.run(url)
        growths.append(growth(run.data.displacement.values, test.dt))
        ends.append(run.outcome.name.lower())
    found = float(np.interp(0.0, growths, delays))
    error = abs(found / critical - 1)
    told = f"predicted {1e3 * critical:.3f} ms, found {1e3 * found:.3f} ms; {', '.join(ends)}"
    figure(
        "critical delay: predicted against found", 100 * error, "%", target=5, at_least=False, accuracy=told
    )


def growth(z, dt, begin=1.0, window=0.5):
    """Growth [1/s] of the envelope from `begin` [s] on; not a number where too little was recorded."""
    per = round(window / dt)
    pieces = [z[at : at + per] for at in range(round(begin / dt), len(z) - per + 1, per)]
    if len(pieces) < 3:
        return np.nan
    return np.polyfit(window * np.arange(len(pieces)), np.log([np.abs(p).max() for p in pieces]), 1)[0]
