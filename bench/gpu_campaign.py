"""Campaigns on one accelerator: how many impacts and how many hose steps a second, and how far from its ceiling?

    python bench/gpu_campaign.py            # everything; prints a table and, with --out, writes it as JSON
    python bench/gpu_campaign.py --small    # the same in small, to see that it runs

Needs JAX, Equinox and NumPy; Dovetail need not be installed. Only the files that hold the equations are imported,
so nothing of the command line, the storage or the reports is asked for.

(a) Docking, one degree of freedom: every point is an impact twice, ideal and through its instruments, 600 steps of
RK4 in float64. (b) A hose of 20 links under gravity, RK4 at 1 ms, float64, every variant with its own masses.
Beside each rate: the difference to the same computation on the processor of the same machine, and the share of the
ceilings measured here (a copy for memory, chained multiply-adds for arithmetic).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import types
from functools import partial
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def bare(*names: str) -> None:
    """Packages without what their `__init__` brings: their modules are found, their lists of names are not read."""
    sys.path.insert(0, str(SOURCE))
    for name in names:
        module = types.ModuleType(name)
        module.__path__ = [str(SOURCE.joinpath(*name.split(".")))]
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


bare("dovetail", "dovetail.mechanics", "dovetail.specimens")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from dovetail.core import RK4  # noqa: E402
from dovetail.mechanics.chain import LinkChain, Loads, lumped  # noqa: E402
from dovetail.mechanics.contact import GivenDamping, GivenStiffness  # noqa: E402
from dovetail.studies.docking.impact import Instruments, first_impact  # noqa: E402

STIFFNESS = 9.0795e8  # [N/m^1.5] polyimide on aluminium
SENSOR = 2 * np.pi * 10e3  # [rad/s]
STEPS = 600  # of RK4 over an impact
LINKS, DT = 20, 1e-3  # [-], [s]
CPU_CHUNK = 500  # points of a batch on a processor: what stays in its cache

rows: list[dict] = []


def note(what: str, value: float, unit: str, remark: str = "") -> None:
    rows.append({"what": what, "value": float(value), "unit": unit, "remark": remark})
    print(f"{what:<62} {value:>12.4g} {unit:<10} {remark}", flush=True)


def best_of(call, repeats: int = 3) -> float:
    """Shortest wall time [s] of a compiled call."""
    jax.block_until_ready(call())
    found = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        found.append(time.perf_counter() - begin)
    return min(found)


# docking


def impacts_table(count: int) -> np.ndarray:
    """Actuator frequency [rad/s], mass [kg], speed [m/s], damping factor: (count, 4), the same in every run."""
    low, high = np.array([0.2e-3, 5.0, 0.05, 0.1]), np.array([2e-3, 120.0, 0.2, 0.6])
    table = low + (high - low) * np.random.default_rng(9).random((count, 4))
    table[:, 0] = 4.0 / table[:, 0]  # total delay to frequency
    return table


def impact(point, steps: int = STEPS):
    w, mass, speed, factor = point
    law = GivenDamping(stiffness=GivenStiffness(STIFFNESS), factor=factor)
    p = first_impact(law, mass, speed, Instruments(w, SENSOR), steps=steps, slowest=0.75, lags=5.0)
    return jnp.stack([p.hil.peak_force, p.hil.final_rebound, p.ideal.peak_force, p.hil.duration])


@partial(jax.jit, static_argnames="steps")
def impact_batch(table, steps: int = STEPS):
    return jax.vmap(lambda point: impact(point, steps))(table)


def docking(counts: list[int], chunk: int) -> None:
    cpu = jax.devices("cpu")[0]
    few = impacts_table(64)
    with jax.default_device(cpu):
        here = np.asarray(impact_batch(jnp.asarray(few)))
        fine = np.asarray(impact_batch(jnp.asarray(few), 20_000))
    there = np.asarray(impact_batch(jnp.asarray(few)))
    off = np.max(np.abs(there / here - 1))
    accuracy = np.max(np.abs(there[:, 0] / fine[:, 0] - 1))
    remark = f"{off:.1e} off the processor's; peak force within {accuracy:.1e} of 20,000 steps"
    for count in counts:
        table = impacts_table(count)

        def whole(table=table):
            parts = [impact_batch(jnp.asarray(table[i : i + chunk])) for i in range(0, len(table), chunk)]
            return [np.asarray(part) for part in parts]  # back on the host, as a campaign stores them

        seconds = best_of(whole)
        assert np.isfinite(np.concatenate(whole())[:, 0]).all()
        note(f"docking 1-DOF HIL, {count:,} points", count / seconds, "points/s", remark)
    few = 1024
    one_step = impact_batch.lower(
        jnp.asarray(impacts_table(few)), 600
    ).compile()  # XLA counts a loop's body once
    carried = 8 * (8 + 2 * 17 + 6)  # [B] state, running measures of both systems, their differences
    report_share(one_step, few, "docking", STEPS * counts[-1] / seconds, carried)


def two_cores(count: int) -> None:
    """The same impacts on two cores of this machine's processor: two threads, chunks that stay in the cache."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    command = [sys.executable, __file__, "--two-cores", str(count)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:])
        return
    note("docking 1-DOF HIL, two cores of this machine", float(done.stdout.split()[-1]), "points/s")


def measure_two_cores(count: int) -> None:
    from concurrent.futures import ThreadPoolExecutor

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    table = impacts_table(count)
    chunks = [jnp.asarray(table[i : i + CPU_CHUNK]) for i in range(0, count, CPU_CHUNK)]
    with ThreadPoolExecutor(2) as pool:
        print(count / best_of(lambda: list(pool.map(lambda c: np.asarray(impact_batch(c)), chunks))))


# hose


def tridiagonal_unrolled(diagonal, coupling, rhs):
    """The sweep of the library without a loop."""
    n = diagonal.shape[0]
    c, y = [jnp.zeros(())] * n, [jnp.zeros(())] * n
    last_c, last_y = jnp.zeros(()), jnp.zeros(())
    for k in range(n):
        w = 1 / (diagonal[k] - coupling[k] * last_c)
        last_c = (coupling[k + 1] if k + 1 < n else 0.0) * w
        last_y = (rhs[k] - coupling[k] * last_y) * w
        c[k], y[k] = last_c, last_y
    x = jnp.zeros(())
    found = [x] * n
    for k in reversed(range(n)):
        x = y[k] - c[k] * x
        found[k] = x
    return jnp.stack(found)


def tridiagonal_cyclic(diagonal, coupling, rhs):
    """Parallel cyclic reduction: log2(n) rounds in which every row is joined with two others."""

    def shifted(a, by, fill):
        pad = jnp.full((abs(by),), fill, a.dtype)
        return jnp.concatenate([pad, a[:-by]]) if by > 0 else jnp.concatenate([a[-by:], pad])

    n = diagonal.shape[0]
    a, b, d = coupling, diagonal, rhs
    c = shifted(coupling, -1, 0.0)
    s = 1
    while s < n:
        up, down = shifted(b, s, 1.0), shifted(b, -s, 1.0)
        alpha, gamma = -a / up, -c / down
        b = b + alpha * shifted(c, s, 0.0) + gamma * shifted(a, -s, 0.0)
        d = d + alpha * shifted(d, s, 0.0) + gamma * shifted(d, -s, 0.0)
        a, c = alpha * shifted(a, s, 0.0), gamma * shifted(c, -s, 0.0)
        s *= 2
    return d / b


SOLVERS = {"library": lumped.solve_tridiagonal, "cyclic": tridiagonal_cyclic}


def hoses(count: int) -> tuple[jax.Array, jax.Array]:
    """Mass of the hose and of its drogue [kg], (count,) each: 30 m of hose at 2 to 6 kg/m."""
    rng = np.random.default_rng(10)
    return jnp.asarray(rng.uniform(60.0, 180.0, count)), jnp.asarray(rng.uniform(20.0, 60.0, count))


ALONG = np.array([1.0, 0.0, -1.0]) / np.sqrt(2.0)


def hose_step(mass, tip, position, velocity):
    """One step under gravity."""
    x, down = {"position": position, "velocity": velocity}, Loads(field=jnp.array([0.0, 0.0, -9.81]))
    return RK4().step(hose_chain(mass, tip), 0.0, DT, x, down, ())[0]


def hose_chain(mass, tip):
    return LinkChain(n=LINKS, length=30.0, mass=mass, tip_mass=tip, bending=2.0, mass_damping=0.02)


def hose_run(steps: int):
    """From masses to the nodes after some steps, released at 45 degrees."""

    def one(mass, tip):
        def advance(x, _):
            return hose_step(mass, tip, **x), None

        x = hose_chain(mass, tip).straight(jnp.asarray(ALONG))
        return jax.lax.scan(advance, x, None, length=steps)[0]["position"]

    return one


def hose_run_last(steps: int):
    """The same for a whole batch whose variants lie along the last axis: neighbours read neighbouring numbers."""

    def straight(mass, tip):
        return hose_chain(mass, tip).straight(jnp.asarray(ALONG))

    step = jax.vmap(hose_step, in_axes=(0, 0, -1, -1), out_axes=-1)

    def all_of_them(mass, tip):
        def advance(x, _):
            return step(mass, tip, x["position"], x["velocity"]), None

        x = jax.vmap(straight, out_axes=-1)(mass, tip)
        return jnp.moveaxis(jax.lax.scan(advance, x, None, length=steps)[0]["position"], -1, 0)

    return all_of_them


def hose(count: int, steps: int) -> None:
    cpu = jax.devices("cpu")[0]
    mass, tip = hoses(count)
    found = {}
    ways = {
        "library": (SOLVERS["library"], jax.vmap(hose_run(steps))),
        "library, variants last": (SOLVERS["library"], hose_run_last(steps)),
        "cyclic": (SOLVERS["cyclic"], jax.vmap(hose_run(steps))),
    }
    for name, (solver, way) in ways.items():
        lumped.solve_tridiagonal = solver
        run = jax.jit(way)
        begin = time.perf_counter()
        nodes = np.asarray(run(mass, tip))
        first = time.perf_counter() - begin
        seconds = best_of(lambda run=run: run(mass, tip))
        lumped.solve_tridiagonal = SOLVERS["library"]
        with jax.default_device(cpu):
            few = jax.jit(jax.vmap(hose_run(steps)))(*(jax.device_put(v[:4], cpu) for v in (mass, tip)))
        off = np.max(np.abs(nodes[:4] - np.asarray(few)))
        rate = count * steps / seconds
        remark = f"{steps} steps; nodes {off:.1e} m off the processor's; first call {first:.1f} s"
        note(f"hose of {LINKS} links, {count:,} variants, sweep: {name}", rate, "steps/s", remark)
        found[name] = rate
    best, few = max(found, key=lambda name: found[name]), min(count, 256)
    lumped.solve_tridiagonal = tridiagonal_unrolled  # no inner loop, so that every operation is counted
    start = jnp.zeros((few, 3, LINKS))
    one_step = jax.jit(jax.vmap(hose_step)).lower(mass[:few], tip[:few], start, start).compile()
    lumped.solve_tridiagonal = SOLVERS["library"]
    report_share(one_step, few, f"hose ({best})", found[best], 8 * 6 * LINKS)


# ceilings


def ceilings(small: bool) -> dict[str, float]:
    """Bytes/s of a copy and flops/s of chained multiply-adds in float64, measured."""
    size = 1 << (20 if small else 27)
    x = jnp.arange(size, dtype=float)
    copy = jax.jit(lambda x: x + 1.0)
    bytes_a_second = 2 * 8 * size / best_of(lambda: copy(x))
    size, depth = 1 << (14 if small else 22), 256

    @jax.jit
    def chained(x):
        a, b = x, x + 1.0
        for _ in range(depth):
            a, b = a * 0.999 + 0.5, b * 0.998 + 0.25
        return a + b

    x = jnp.arange(size, dtype=float)
    flops_a_second = 4 * depth * size / best_of(lambda: chained(x))
    note("ceiling: memory, copy", bytes_a_second, "B/s")
    note("ceiling: arithmetic, float64 multiply-adds", flops_a_second, "flop/s")
    return {"bytes": bytes_a_second, "flops": flops_a_second}


CEILING: dict[str, float] = {}


def report_share(one_step, count: int, name: str, rate: float, carried: float) -> None:
    """Share of the ceilings at `rate` steps a second.

    Flops are XLA's count of a compiled program of one step for `count` variants. Bytes are the least that can move:
    what is `carried` from step to step by one variant, read and written once.
    """
    cost = one_step.cost_analysis()
    flops = (cost[0] if isinstance(cost, list) else cost).get("flops", np.nan) / count
    note(f"{name}: flops of a step (XLA's count)", flops, "flop")
    note(f"{name}: bytes carried by a step, read and written", 2 * carried, "B")
    note(f"{name}: share of the arithmetic ceiling", 100 * flops * rate / CEILING["flops"], "%")
    note(f"{name}: share of the memory ceiling", 100 * 2 * carried * rate / CEILING["bytes"], "%")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--small", action="store_true", help="a hundredth of everything")
    options.add_argument("--out", type=Path, help="write the figures as JSON")
    options.add_argument("--chunk", type=int, default=250_000, help="impacts in a batch")
    options.add_argument("--two-cores", type=int, default=0, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.two_cores:
        measure_two_cores(chosen.two_cores)
        return
    device = jax.devices()[0]
    print(f"{device.device_kind} ({device.platform}), jax {jax.__version__}, float64")
    CEILING.update(ceilings(chosen.small))
    docking([1000, 2000] if chosen.small else [100_000, 1_000_000], chosen.chunk)
    two_cores(2_000 if chosen.small else 100_000)
    hose(64 if chosen.small else 16_384, 50 if chosen.small else 1000)
    if chosen.out:
        machine = {"device": device.device_kind, "jax": jax.__version__}
        chosen.out.write_text(json.dumps({"machine": machine, "figures": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
