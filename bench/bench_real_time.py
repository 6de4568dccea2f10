"""Real time: overhead of the compiled loop, and lateness of real-time tests.

The overhead is relative to a C loop that only sleeps and exchanges the same datagrams with the same rig
(`timer_floor.c`), measured in turns with the compiled loop. DOVETAIL_BENCH_SECONDS sets the length of the tests
(default: 60 s). The numbers hold on an idle machine only.
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
from sizes import sized

import dovetail as dv
from dovetail.links import Address, Hello, RealTimeSettings, RemoteRig, TickSettings, connect
from dovetail.links.native import NativeTick, available
from dovetail.studies.registry import find_test

SECONDS = float(os.environ.get("DOVETAIL_BENCH_SECONDS", sized(60, 1)))
ROOT = Path(__file__).resolve().parents[1]
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(bool(available()) or COMPILER is None, reason="no C compiler")
QUANTILES = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}


def compiled(source, folder):
    """Compile a C source file; return the program."""
    target = folder / source.stem
    subprocess.run([COMPILER, "-O2", "-o", target, source, "-lm"], check=True)
    return target


@pytest.fixture(scope="module")
def c_rig(tmp_path_factory):
    """Start the reference rig in C in another process; yield its address."""
    program = compiled(ROOT / "examples" / "rig_in_c" / "rig.c", tmp_path_factory.mktemp("rig"))
    command = [program, "--port", "0", "--stiffness", "2250", "--lag", "0", "--link-timeout", "60"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield f"udp://127.0.0.1:{process.stdout.readline().split()[1]}"
    process.terminate()
    process.wait(10)
    process.stdout.close()


class Served:
    """Run `dovetail rig serve` in another process."""

    def __init__(self, name, changes):
        command = [sys.executable, "-m", "dovetail", "rig", "serve", name, "--port", "0"]
        command += ["--max-link-timeout", "60"]
        for path, value in changes.items():
            command += ["--set", f"{path}={value}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"udp://\S+:\d+", self.process.stdout.readline())[0]

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.process.stdout.close()


def cs1(rate, duration, **changes):
    values = {"rate": rate, "duration": duration, "limits.link_timeout": 2000, **changes}
    return dv.load(find_test("substructuring/cs1"), values)


def test_overhead_of_the_loop(figure):
    """Time per tick of the complete program, minus the times of its system calls and of its models."""
    test = cs1(1000.0, sized(20.0, 1.0)).prepare()
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        # all deadlines have passed and nothing waits: only the work remains
        settings = TickSettings(7, 1, 2, 1, 10**12, wait=1, spin=0, grace=10**18)
        tick = NativeTick(settings, near)
        signals = (("measured_displacement", ()), ("measured_force", ()))
        rig = RemoteRig(jnp.asarray(tick.handle, dtype=int), jnp.zeros(2), signals, True)
        run = importlib.import_module("dovetail.links.real_time")
        requests = run.RequestedValues(jnp.zeros((), dtype=int), 0, True)
        ready = dataclasses.replace(test, rig=rig)
        arguments, _ = run._program_arguments(
            ready, requests, lambda _, address: jnp.asarray(address, dtype=int)
        )
        program = run._program.lower(*arguments).compile()
        total = best(lambda: jax.block_until_ready(program(*arguments))) / test.tick_count
        alone = eqx.filter_jit(_only_ticks).lower(rig, test.tick_count).compile()
        bare = best(lambda: jax.block_until_ready(alone(rig, test.tick_count))) / test.tick_count
    recording = {name: jnp.zeros(test.tick_count + 2) for name, _ in signals}
    recorded = dataclasses.replace(test, rig=dv.testing.RecordedRig(recording))
    model = best(lambda: jax.block_until_ready(simulated(recorded))) / test.tick_count
    figure("compiled loop: time per tick", 1e6 * total, "us")
    figure("of it calls to the link, with their system calls", 1e6 * bare, "us")
    figure("of it numerical substructure, compensator, supervisor", 1e6 * model, "us")
    figure("loop overhead per tick", 1e6 * (total - bare - model), "us", target=5.0, at_least=False)


simulated = eqx.filter_jit(dv.simulate)


def _only_ticks(rig, count):
    """Make the calls of a loop to its rig, without models."""

    def step(x, k):
        x, reading = rig.step(k, 1.0, x, jnp.zeros(()))
        return rig.settle(x, 0), reading["measured_force"]

    return jax.lax.scan(step, rig.init(), jnp.arange(float(count)))


def best(call, repeats=5):
    """Return the shortest time [s] of some calls, after one that may compile."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def timer_floor(url, rate, seconds, folder):
    """Return lateness and exchange times [s] of the bare C loop."""
    program = compiled(ROOT / "bench" / "timer_floor.c", folder)
    hello = Hello(axes=1, rate=rate, link_timeout=2000)
    with connect(Address.parse(url), hello, None) as connection:
        command = [program, connection.welcome.port, f"{connection.welcome.session:x}"]
        command += [round(1e9 / rate), 60_000, round(seconds * rate), connection.welcome.count]
        process = subprocess.run([str(word) for word in command], capture_output=True, check=True)
    return np.frombuffer(process.stdout).reshape(-1, 2).T


def test_exchange_relative_to_the_timer_floor(figure, c_rig, tmp_path):
    """CS1 at 1 kHz and the bare loop with the same rig in turns; the median of the turns."""
    seconds, turns = round(min(SECONDS / 3, 10.0), 3), sized(3, 1)
    rows, lost = {"exchange": [], "lateness": []}, 0
    for _ in range(turns):
        late, exchange = timer_floor(c_rig, 1000.0, seconds, tmp_path)
        settings = RealTimeSettings(native=True, priority=0, lock=False)
        run = cs1(1000.0, seconds).run_realtime(c_rig, real_time=settings)
        rows["exchange"].append((exchange, run.data.exchange_time.values[1:]))
        rows["lateness"].append((late, run.data.tick_lateness.values[1:]))
        lost += run.data.attrs["datagrams_lost"]
    for name, pairs in rows.items():
        for word, q in QUANTILES.items():
            each = np.array([[np.quantile(values, q) for values in pair] for pair in pairs])
            bare, loop_time = np.median(each, axis=0)
            target = 1.3 if word in ("median", "99.9 %") else None
            both = f"bare {1e6 * bare:.1f} us, loop {1e6 * loop_time:.1f} us"
            figure(
                f"{name}, {word}, over bare C",
                loop_time / bare,
                "",
                target=target,
                at_least=False,
                accuracy=both,
            )
    figure("unanswered exchanges at 1 kHz", lost, "", target=0, at_least=False)


@pytest.mark.parametrize("rate", sized([1000.0, 2000.0, 5000.0, 10_000.0], [1000.0]))
def test_lateness_of_an_adaptive_test(figure, rate):
    """CS1 with adaptive forward prediction on a served rig; its tracking error is compared with rehearsals."""
    # the window of the predictor is the published 10 ms at every rate: with 10 samples at a higher rate it is unstable,
    # in rehearsals too
    changes = {
        "rate": rate,
        "duration": SECONDS,
        "limits.link_timeout": 2000,
        "compensator.window": round(rate / 100),
    }
    test = dv.load(find_test("substructuring/cs1-afp"), changes)
    with Served("substructuring/cs1-afp", changes) as url:
        run = test.run_realtime(url)
    name = f"{rate / 1000:g} kHz"
    end = f"{run.outcome.name.lower()} after {run.data.sizes['time'] - 1} ticks"
    figure(f"{name}: completed share of the test", (run.data.sizes["time"] - 1) / test.tick_count, target=1)
    lateness(figure, name, run, end)
    # range of the rehearsals: the delay of the rig, one tick less, one tick more
    delays = float(test.rig.actuator.delay) + test.dt * np.array([-1.0, 0.0, 1.0])
    spread = [tracking(test.with_values(**{"rig.actuator.delay": d}).rehearse().data) for d in delays]
    end += (
        f"; {1e6 * tracking(run.data):.1f} um, rehearsals {1e6 * min(spread):.1f} to {1e6 * max(spread):.1f}"
    )
    ratio = tracking(run.data) / max(spread)
    figure(
        f"{name}: tracking error over the rehearsals' largest", ratio, target=1, at_least=False, accuracy=end
    )


def lateness(figure, name, run, end):
    """Record late ticks, their lateness, and the used share of the tick."""
    late, compute = run.data.tick_lateness.values[1:], run.data.compute_time.values[1:]
    if not len(late):
        figure(f"{name}: ticks late by half a tick or more", np.nan, "%", accuracy=end)
        return
    dt = run.test.dt
    quantiles = ", ".join(f"{word} {1e6 * np.quantile(late, q):.1f} us" for word, q in QUANTILES.items())
    share = 100 * np.mean(late > dt / 2)
    figure(f"{name}: ticks late by half a tick or more", share, "%", accuracy=f"{end}; late {quantiles}")
    exchange = run.data.exchange_time.values[1:]
    quantiles = ", ".join(f"{word} {1e6 * np.quantile(exchange, q):.1f} us" for word, q in QUANTILES.items())
    lost = run.data.attrs["datagrams_lost"]
    figure(
        f"{name}: compute and exchange time over the tick, 99.9 %",
        float(np.quantile(compute + exchange, 0.999)) / dt,
        accuracy=f"compute {1e6 * np.median(compute):.1f} us; exchange {quantiles}; {lost} unanswered",
    )


def test_lateness_of_a_hose(figure):
    """Hose of 20 links with its drogue at 2 kHz, six axes, on the served funnel."""
    changes = {"rate": 2000.0, "limits.link_timeout": 2000, **sized({}, {"duration": 0.5})}
    test = dv.load(find_test("refuelling/full-scale"), changes)
    with Served("refuelling/full-scale", changes) as url:
        run = test.run_realtime(url)
    name = "20-link hose, 2 kHz"
    end = f"{run.outcome.name.lower()} after {run.data.sizes['time'] - 1} ticks"
    figure(f"{name}: completed share of the test", (run.data.sizes["time"] - 1) / test.tick_count, target=1)
    lateness(figure, name, run, end)
    rehearsed = test.rehearse().data
    both = slice(0, min(run.data.sizes["time"], rehearsed.sizes["time"]))
    difference = np.abs(run.data.drogue_position.values[both] - rehearsed.drogue_position.values[both]).max()
    figure(f"{name}: distance of the drogue to its rehearsal", 1e3 * difference, "mm", accuracy=end)


def tracking(data):
    """Return the root mean square of demand minus measured displacement in the second half."""
    half = data.isel(time=slice(data.sizes["time"] // 2, None))
    return float(np.sqrt(((half.displacement - half.measured_displacement) ** 2).mean()))


def test_critical_delay_of_the_real_time_loop(figure):
    """Growth of the real-time loop over the delay of the rig; it is zero at the predicted critical delay."""
    # free vibration after a short excitation: the sign of its growth decides
    free = {
        "limits.displacement": 10.0,
        "limits.velocity": 1e3,
        "limits.force": 1e6,
        "excitation.frequency": 50.0,
    }
    base = {"rate": 1000.0, "duration": 4.0, "limits.link_timeout": 2000, **free}
    predicted = dv.load(find_test("substructuring/cs1"), base).stability()
    critical = predicted.critical_delay - predicted.force_hold_delay
    delays, growths, ends = critical * np.array(sized([0.85, 0.95, 1.05, 1.15], [0.85, 1.15])), [], []
    for delay in delays:
        changes = {**base, "rig.actuator.delay": float(delay)}
        test = dv.load(find_test("substructuring/cs1"), changes)
        with Served("substructuring/cs1", changes) as url:
            run = test.run_realtime(url)
        growths.append(growth(run.data.displacement.values, test.dt))
        ends.append(run.outcome.name.lower())
    measured = float(np.interp(0.0, growths, delays))
    error = abs(measured / critical - 1)
    both = f"predicted {1e3 * critical:.3f} ms, measured {1e3 * measured:.3f} ms; {', '.join(ends)}"
    figure(
        "critical delay: measured minus predicted, of predicted",
        100 * error,
        "%",
        target=5,
        at_least=False,
        accuracy=both,
    )


def growth(z, dt, begin=1.0, window=0.5):
    """Return the growth rate [1/s] of the envelope from `begin` [s] on, or NaN if the record is too short."""
    per = round(window / dt)
    pieces = [z[first : first + per] for first in range(round(begin / dt), len(z) - per + 1, per)]
    if len(pieces) < 3:
        return np.nan
    return np.polyfit(window * np.arange(len(pieces)), np.log([np.abs(p).max() for p in pieces]), 1)[0]
