"""Throughput of campaigns on one accelerator, and its share of the device's memory and arithmetic ceilings.

    python bench/gpu_campaign.py                           # prints a table; --out FILE also writes it as JSON
    DOVETAIL_BENCH_SMALL=1 python bench/gpu_campaign.py    # small size: checks that the benchmark runs

Without an accelerator JAX takes the processor; the first line of the output names the device. Needs JAX, Equinox,
jaxtyping, NumPy and filelock. Dovetail itself need not be installed.

(a) Docking with one degree of freedom. Every point is one impact computed twice, as reference and through actuator and
sensor, with 600 steps of RK4 in float64. (b) A hose of 20 links under gravity, RK4 at 1 ms, float64; every variant has
its own masses. Beside each rate stands the difference to the processor of the same machine. The shares refer to two
ceilings measured here: a copy for memory, independent chains of multiply-adds for arithmetic.
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

from sizes import sized

SOURCE = Path(__file__).resolve().parents[1] / "src"


def import_from_source() -> None:
    """Make `dovetail` importable without installing it; its `__init__` would ask for the installed version."""
    package = types.ModuleType("dovetail")
    package.__path__ = [str(SOURCE / "dovetail")]
    sys.modules["dovetail"] = package


import_from_source()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from dovetail.core import RK4  # noqa: E402
from dovetail.mechanics.chain import ChainLoads, LinkChain, lumped  # noqa: E402
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor  # noqa: E402
from dovetail.studies.docking.impact import Instruments, first_impact  # noqa: E402

STIFFNESS = 9.0795e8  # [N/m^1.5] polyimide on aluminium
SENSOR = 2 * np.pi * 10e3  # [rad/s]
STEPS = 600  # RK4 steps of one impact
FINE_STEPS = sized(20_000, 2_000)  # RK4 steps of the accurate solution
LINKS, DT = 20, 1e-3  # [-], [s]
CPU_BATCH = 500  # points per batch on a processor, which stay in its cache
CHAINS = (1, 2, 4, 8, 16)  # independent chains of multiply-adds per element; the fastest is the ceiling
MULTIPLY_ADDS = 512  # per element, in all chains together
CALLS = sized(20, 4)  # calls in flight, so that starting one costs nothing beside its work

rows: list[dict] = []


def note(what: str, value: float, unit: str, remark: str = "") -> None:
    rows.append({"what": what, "value": float(value), "unit": unit, "remark": remark})
    print(f"{what:<62} {value:>12.4g} {unit:<10} {remark}", flush=True)


def best_of(call, repeats: int = 3) -> float:
    """Return the shortest wall time [s] of some calls, after one that compiles."""
    jax.block_until_ready(call())
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    return min(times)


# docking


def impacts_table(count: int) -> np.ndarray:
    """Return actuator frequency [rad/s], mass [kg], speed [m/s] and damping factor, (count, 4), seeded."""
    low, high = np.array([0.2e-3, 5.0, 0.05, 0.1]), np.array([2e-3, 120.0, 0.2, 0.6])
    table = low + (high - low) * np.random.default_rng(9).random((count, 4))
    table[:, 0] = 4.0 / table[:, 0]  # from total delay
    return table


def impact(point, steps: int = STEPS):
    w, mass, speed, factor = point
    law = DampingFactor(stiffness=ConstantStiffness(STIFFNESS), factor=factor)
    p = first_impact(law, mass, speed, Instruments(w, SENSOR), steps=steps, slowest=0.75, lags=5.0)
    return jnp.stack([p.hil.peak_force, p.hil.final_rebound, p.ideal.peak_force, p.hil.duration])


@partial(jax.jit, static_argnames="steps")
def impact_batch(table, steps: int = STEPS):
    return jax.vmap(lambda point: impact(point, steps))(table)


def docking(counts: list[int], chunk: int) -> None:
    """Measure points per second of the impacts."""
    cpu = jax.devices("cpu")[0]
    few = impacts_table(64)
    with jax.default_device(cpu):
        on_processor = np.asarray(impact_batch(jnp.asarray(few)))
        fine = np.asarray(impact_batch(jnp.asarray(few), FINE_STEPS))
    on_device = np.asarray(impact_batch(jnp.asarray(few)))
    difference = np.max(np.abs(on_device / on_processor - 1))
    error = np.max(np.abs(on_device[:, 0] / fine[:, 0] - 1))
    assert difference < 1e-9
    assert error < 1e-3
    remark = f"{difference:.1e} from the processor's; peak force within {error:.1e} of {FINE_STEPS:,} steps"
    for count in counts:
        table = impacts_table(count)

        def compute(table=table):
            parts = [impact_batch(jnp.asarray(table[i : i + chunk])) for i in range(0, len(table), chunk)]
            return [np.asarray(part) for part in parts]  # copied to the host, where a campaign stores them

        seconds = best_of(compute)
        assert np.isfinite(np.concatenate(compute())[:, 0]).all()
        note(f"docking with one axis, {count:,} points", count / seconds, "points/s", remark)
    few = 1024
    # XLA counts the body of a loop once, whatever its number of rounds
    one_step = impact_batch.lower(jnp.asarray(impacts_table(few)), STEPS).compile()
    carried = 8 * (8 + 2 * 17 + 6)  # [B] state, running measures of both systems, their differences
    report_share(one_step, few, "docking", STEPS * counts[-1] / seconds, carried)


def two_cores(count: int) -> None:
    """Measure the same impacts on two processor cores of this machine, in another process."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    command = [sys.executable, __file__, "--two-cores", str(count)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    if process.returncode:
        sys.exit(process.stderr[-2000:])
    note("docking with one axis, two processor cores", float(process.stdout.split()[-1]), "points/s")


def measure_two_cores(count: int) -> None:
    """Print points per second of two threads, with batches that stay in the cache."""
    from concurrent.futures import ThreadPoolExecutor

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    table = impacts_table(count)
    chunks = [jnp.asarray(table[i : i + CPU_BATCH]) for i in range(0, count, CPU_BATCH)]
    with ThreadPoolExecutor(2) as pool:
        print(count / best_of(lambda: list(pool.map(lambda c: np.asarray(impact_batch(c)), chunks))))


# hose


def tridiagonal_unrolled(diagonal, coupling, rhs):
    """Solve by the library's algorithm with its loop unrolled."""
    n = diagonal.shape[0]
    c, y = [jnp.zeros(())] * n, [jnp.zeros(())] * n
    last_c, last_y = jnp.zeros(()), jnp.zeros(())
    for k in range(n):
        w = 1 / (diagonal[k] - coupling[k] * last_c)
        last_c = (coupling[k + 1] if k + 1 < n else 0.0) * w
        last_y = (rhs[k] - coupling[k] * last_y) * w
        c[k], y[k] = last_c, last_y
    x = jnp.zeros(())
    solution = [x] * n
    for k in reversed(range(n)):
        x = y[k] - c[k] * x
        solution[k] = x
    return jnp.stack(solution)


def tridiagonal_cyclic(diagonal, coupling, rhs):
    """Solve by parallel cyclic reduction: log2(n) rounds, each combines every row with two others."""

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
    """Return the masses of hose and drogue [kg], (count,) each: 30 m of hose at 2 to 6 kg/m."""
    rng = np.random.default_rng(10)
    return jnp.asarray(rng.uniform(60.0, 180.0, count)), jnp.asarray(rng.uniform(20.0, 60.0, count))


ALONG = np.array([1.0, 0.0, -1.0]) / np.sqrt(2.0)


def hose_step(mass, tip, position, velocity):
    """Advance one hose by one step under gravity."""
    x, down = {"position": position, "velocity": velocity}, ChainLoads(field=jnp.array([0.0, 0.0, -9.81]))
    return RK4().step(hose_chain(mass, tip), 0.0, DT, x, down, ())[0]


def hose_chain(mass, tip):
    return LinkChain(n=LINKS, length=30.0, mass=mass, tip_mass=tip, bending=2.0, mass_damping=0.02)


def hose_run(steps: int):
    """Return a function from masses to the node positions after `steps`, released at 45 degrees."""

    def one(mass, tip):
        def advance(x, _):
            return hose_step(mass, tip, **x), None

        x = hose_chain(mass, tip).straight(jnp.asarray(ALONG))
        return jax.lax.scan(advance, x, None, length=steps)[0]["position"]

    return one


def hose_run_last(steps: int):
    """Return the same for a batch on the last axis, where neighbouring threads read neighbouring numbers."""

    def straight(mass, tip):
        return hose_chain(mass, tip).straight(jnp.asarray(ALONG))

    step = jax.vmap(hose_step, in_axes=(0, 0, -1, -1), out_axes=-1)

    def batch(mass, tip):
        def advance(x, _):
            return step(mass, tip, x["position"], x["velocity"]), None

        x = jax.vmap(straight, out_axes=-1)(mass, tip)
        return jnp.moveaxis(jax.lax.scan(advance, x, None, length=steps)[0]["position"], -1, 0)

    return batch


def hose(count: int, steps: int) -> None:
    """Measure steps per second of the hose for two solvers and two orders of the axes."""
    cpu = jax.devices("cpu")[0]
    mass, tip = hoses(count)
    rates = {}
    variants = {
        "library": (SOLVERS["library"], jax.vmap(hose_run(steps))),
        "library, batch on last axis": (SOLVERS["library"], hose_run_last(steps)),
        "cyclic": (SOLVERS["cyclic"], jax.vmap(hose_run(steps))),
    }
    with jax.default_device(cpu):
        few = jax.jit(jax.vmap(hose_run(steps)))(*(jax.device_put(v[:4], cpu) for v in (mass, tip)))
    for name, (solver, batch) in variants.items():
        lumped.solve_tridiagonal = solver
        run = jax.jit(batch)
        begin = time.perf_counter()
        nodes = np.asarray(run(mass, tip))
        first = time.perf_counter() - begin
        seconds = best_of(lambda run=run: run(mass, tip))
        lumped.solve_tridiagonal = SOLVERS["library"]
        difference = np.max(np.abs(nodes[:4] - np.asarray(few)))
        assert difference < 1e-9
        rate = count * steps / seconds
        remark = f"{steps} steps; nodes {difference:.1e} m from the processor's; first call {first:.1f} s"
        note(f"hose of {LINKS} links, {count:,} variants, solver: {name}", rate, "steps/s", remark)
        rates[name] = rate
    best, few = max(rates, key=lambda name: rates[name]), min(count, 256)
    lumped.solve_tridiagonal = (
        tridiagonal_unrolled  # without an inner loop, so that XLA counts every operation
    )
    start = jnp.zeros((few, 3, LINKS))
    one_step = jax.jit(jax.vmap(hose_step)).lower(mass[:few], tip[:few], start, start).compile()
    lumped.solve_tridiagonal = SOLVERS["library"]
    report_share(one_step, few, f"hose ({best})", rates[best], 8 * 6 * LINKS)


# ceilings


def measure_ceilings(on_processor: bool) -> dict[str, float]:
    """Return bytes/s of a copy and flop/s of independent multiply-adds in float64."""
    size = 1 << sized(27, 20)
    x = jnp.arange(size, dtype=float)
    copy = jax.jit(lambda x: x + 1.0)
    memory = 2 * 8 * size / best_of(lambda: copy(x))
    note("ceiling: memory, copy", memory, "B/s")
    size = 1 << (sized(16, 12) if on_processor else 22)
    x = jnp.arange(size, dtype=float)
    rates = {chains: multiply_add_rate(x, chains) for chains in CHAINS}
    best = max(rates, key=lambda chains: rates[chains])
    tried = ", ".join(f"{chains}: {rate:.2g}" for chains, rate in rates.items())
    remark = f"{best} independent chains per element; tried {tried}"
    note("ceiling: arithmetic, float64 multiply-adds", rates[best], "flop/s", remark)
    return {"bytes": memory, "flops": rates[best]}


def multiply_add_rate(x: jax.Array, chains: int) -> float:
    """Return flop/s of `MULTIPLY_ADDS` per element, divided among independent chains.

    A chain waits for the result of its last operation. Only several chains fill the arithmetic units.
    """

    @jax.jit
    def multiply_add(x):
        values = [x + float(k) for k in range(chains)]
        for _ in range(MULTIPLY_ADDS // chains):
            values = [0.999 * value + 0.5 for value in values]
        return sum(values)

    program = multiply_add.lower(x).compile()
    assert count_flops(program) >= 2 * MULTIPLY_ADDS * x.size, "the compiler has removed operations"
    return CALLS * 2 * MULTIPLY_ADDS * x.size / best_of(lambda: [program(x) for _ in range(CALLS)])


def count_flops(program) -> float:
    """Return XLA's count of floating-point operations in a compiled program."""
    cost = program.cost_analysis()
    return (cost[0] if isinstance(cost, list) else cost).get("flops", np.nan)


CEILING: dict[str, float] = {}


def report_share(one_step, count: int, name: str, rate: float, carried: float) -> None:
    """Report the shares of the ceilings at a rate [steps/s].

    Flops are counted by XLA in a compiled program of one step for `count` variants. Bytes are a lower bound: the
    state of one variant (`carried` [B]) is read and written once in each step.
    """
    flops = count_flops(one_step) / count
    note(f"{name}: flops per step (counted by XLA)", flops, "flop")
    note(f"{name}: bytes per step (state read and written)", 2 * carried, "B")
    note(f"{name}: share of the arithmetic ceiling", 100 * flops * rate / CEILING["flops"], "%")
    note(f"{name}: share of the memory ceiling", 100 * 2 * carried * rate / CEILING["bytes"], "%")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, help="also write the results to this JSON file")
    options.add_argument(
        "--chunk", type=int, default=250_000, help="impacts per batch (default: %(default)s)"
    )
    options.add_argument("--two-cores", type=int, default=0, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.two_cores:
        measure_two_cores(chosen.two_cores)
        return
    device = jax.devices()[0]
    print(f"device: {device.device_kind} ({device.platform}), jax {jax.__version__}, float64")
    CEILING.update(measure_ceilings(device.platform == "cpu"))
    docking(sized([100_000, 1_000_000], [64, 128]), chosen.chunk)
    two_cores(sized(100_000, 2 * CPU_BATCH))
    hose(sized(16_384, 16), sized(1000, 20))
    if chosen.out:
        machine = {"device": device.device_kind, "platform": device.platform, "jax": jax.__version__}
        chosen.out.write_text(json.dumps({"machine": machine, "figures": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
