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
        code = "from dovetail.cli.main import main; main()"
        words = [sys.executable, "-c", code, "rig", "serve", name, "--port", "0"]
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
        program = eqx.filter_jit(run._whole).lower(ready, (1, 1)).compile()
        whole = best(lambda: jax.block_until_ready(program(ready, (1, 1)))) / test.tick_count
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
    """The loop of CS1 at 1 kHz and the bare loop, one after the other, with the same rig."""
    seconds = min(SECONDS, 20.0)
    late, exchange = bare_loop(c_rig, 1000.0, seconds, tmp_path)
    run = cs1(1000.0, seconds).run(c_rig, real_time=RealTime(native=True, priority=0, lock=False))
    for name, floor, ours in (
        ("exchange", exchange, run.data.exchange_time.values[1:]),
        ("lateness", late, run.data.tick_lateness.values[1:]),
    ):
        for word, q in QUANTILES.items():
            low, got = np.quantile(floor, q), np.quantile(ours, q)
            target = 1.3 if word in ("median", "99.9 %") else None
            told = f"floor {1e6 * low:.1f} us, loop {1e6 * got:.1f} us"
            figure(
                f"{name}, {word}, over bare C", got / low, "", target=target, at_least=False, accuracy=told
            )
    figure("unanswered exchanges at 1 kHz", run.data.attrs["datagrams_lost"], "", target=0, at_least=False)


@pytest.mark.parametrize("rate", [1000.0, 2000.0, 5000.0, 10_000.0])
def test_an_adaptive_test_keeps_its_deadline(figure, rate):
    """CS1 with adaptive forward prediction against a served rig: punctual, and as the rehearsal says."""
    changes = {"rate": rate, "duration": SECONDS, "limits.silence": 2000}
    test = dv.load(find_test("substructuring/cs1-afp"), changes)
    with Served("substructuring/cs1-afp", changes) as url:
        run = test.run(url)
    late = run.data.tick_lateness.values[1:]
    told = f"{run.outcome.name.lower()}; 99.9 % late by {1e6 * np.quantile(late, 0.999):.0f} us"
    figure(
        f"{rate / 1000:g} kHz: ticks late by half a tick or more", np.mean(late > 0.5 / rate), accuracy=told
    )
    rehearsed = test.rehearse().data
    ratio = tracking(run.data) / tracking(rehearsed)
    figure(f"{rate / 1000:g} kHz: tracking error over the rehearsal's", ratio, "", accuracy=told)


def tracking(data):
    """Root mean square of demand less measured, in the second half."""
    half = data.isel(time=slice(data.sizes["time"] // 2, None))
    return float(np.sqrt(((half.displacement - half.measured_displacement) ** 2).mean()))


def test_the_predicted_critical_delay_is_where_the_loop_goes_unstable(figure):
    """The rig's delay is stepped up; the growth of the real-time loop crosses zero at the predicted delay."""
    # a kick and then free vibration: the sign of its growth is the verdict
    free = {"limits.displacement": 10.0, "limits.force": 1e6, "excitation.frequency": 50.0}
    base = {"rate": 1000.0, "duration": 4.0, "limits.silence": 2000, **free}
    predicted = dv.load(find_test("substructuring/cs1"), base).stability()
    critical = predicted.critical_delay - predicted.half_tick
    delays, growths = critical * np.array([0.85, 0.95, 1.05, 1.15]), []
    for delay in delays:
        changes = {**base, "rig.actuator.delay": float(delay)}
        test = dv.load(find_test("substructuring/cs1"), changes)
        with Served("substructuring/cs1", changes) as url:
            run = test.run(url)
        z = run.data.displacement.values
        size = np.abs(z).reshape(-1, 1)[1:].reshape(8, -1).max(axis=1)  # of each half second
        growths.append(np.polyfit(0.5 * np.arange(2, 8), np.log(size[2:]), 1)[0])
    found = float(np.interp(0.0, growths, delays))
    error = abs(found / critical - 1)
    told = f"predicted {1e3 * critical:.3f} ms, found {1e3 * found:.3f} ms"
    figure(
        "critical delay: predicted against found", 100 * error, "%", target=5, at_least=False, accuracy=told
    )
