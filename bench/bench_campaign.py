"""Cost of campaigns: relative to solve_ivp, per point, by number of workers, and in memory.

The campaign is the docking impact with one degree of freedom over delay, masses and speed. Each point is computed as
reference and through actuator and sensor, timed through `campaign.run` including the store. scipy gets the loosest
tolerance at which its peak force is as accurate as the batch's, and the fastest of three methods. It is timed on a
random sample of the points.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench_impacts as impacts
import jax.numpy as jnp
import numpy as np
import pytest
from sizes import sized

from dovetail.campaign import ThreadExecutor, open_results, parse, run
from dovetail.studies.docking.campaign_models import impact
from dovetail.studies.docking.scenarios import pair_stiffness

FEW, COUNT = sized((2000, 100_000), (500, 1000))  # points
SAMPLE = sized(40, 4)  # points that scipy computes


def campaign(count, **changes):
    ranges = {
        "actuator_delay": (0.2e-3, 2e-3),
        "m1": (10.0, 175.0),
        "m2": (10.0, 375.0),
        "speed": (0.05, 0.2),
    }
    return parse(
        {
            "model": "dovetail.studies.docking.campaign_models:impact",
            "design": {"kind": "latin-hypercube", "count": count, "seed": 9},
            "parameter": [{"path": name, "min": low, "max": high} for name, (low, high) in ranges.items()],
            "chunk": 2000,
            "batch": 500,
            **changes,
        }
    )


def timed(plan, executor=None):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        outcome = run(plan, Path(folder) / "out", executor=executor)
        seconds = time.perf_counter() - begin
        assert outcome.failed == 0
        return seconds, open_results(Path(folder) / "out")


def test_against_solve_ivp(figure):
    executor = Warm()
    timed(campaign(1000), executor)  # compiles
    seconds, data = timed(campaign(COUNT), executor)
    sample = np.random.default_rng(1).choice(COUNT, SAMPLE, replace=False)
    names = ("actuator_delay", "m1", "m2", "speed")
    points = [{name: float(data[name][i]) for name in names} for i in sample]
    true = np.array([float(impact(**p, steps=20_000)["peak_force"]) for p in points])
    error = float(np.max(np.abs(data["peak_force"].values[sample] / true - 1)))
    from dovetail.mechanics.contact import Flores

    impacts.K = pair_stiffness("polyimide", "aluminium")

    factor = float(Flores(stiffness=1.0).damping_factor(jnp.asarray(0.8)))
    rows = [
        (4 / p["actuator_delay"], p["m1"] * p["m2"] / (p["m1"] + p["m2"]), p["speed"], factor) for p in points
    ]
    best = None
    for method in ("RK45", "DOP853", "LSODA"):
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9):
            begin = time.perf_counter()
            peaks = np.array([impacts.one_by_one(row, method, rtol) for row in rows])
            seconds_each = (time.perf_counter() - begin) / len(rows)
            deviation = float(np.max(np.abs(peaks / true - 1)))
            if deviation <= max(error, 1e-6):
                best = min(best or (np.inf, "", 0, 0), (seconds_each, method, rtol, deviation))
                break
    assert best is not None
    rate = COUNT / seconds
    figure(f"docking campaign, one axis, {COUNT} points, including the store", rate, "points/s")
    figure(
        "ratio to one solve_ivp call per point",
        rate * best[0],
        "x",
        target=100,
        accuracy=f"peak force within {error:.1e}; {best[1]}, rtol {best[2]:g}: {best[3]:.1e}",
    )


def test_cost_per_point_does_not_depend_on_the_number_of_points(figure):
    """Processor time of complete campaigns, from an empty folder to the last chunk, without compiling.

    Compiling happens once per process and shape of chunk; it has a figure of its own.
    """
    executor = Warm()
    Warm.subject = None  # compiled anew
    begin = time.process_time()
    timed(campaign(1000), executor)
    compiling = time.process_time() - begin
    cost = {}
    for count in sized((1000, 10_000, COUNT), (FEW, COUNT)):
        plan, times = campaign(count), []
        for _ in range(sized(max(3, min(20, 20_000 // count)), 1)):
            with tempfile.TemporaryDirectory() as folder:
                begin = time.process_time()
                run(plan, Path(folder) / "out", executor=executor)
                times.append((time.process_time() - begin) / count)
        cost[count] = float(np.median(times))
        figure(f"processor time per point, campaign of {count} points", 1e6 * cost[count], "us")
    figure("first campaign of a process, including compiling", compiling, "s")
    figure(
        "spread of the cost per point from 1,000 points on",
        100 * (max(cost.values()) / min(cost.values()) - 1),
        "%",
        target=10,
        at_least=False,
        accuracy="including the store, without compiling",
    )


def test_memory_does_not_depend_on_the_number_of_points(figure):
    """Peak memory of a process that computes few points, and of one that computes all."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from bench_campaign import campaign, run\n"
        "run(campaign(int(sys.argv[2])), sys.argv[3])\n"
        "line = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(int(line.split()[1]) / 1024)\n"
    )
    peak = {}
    for count in (FEW, COUNT):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", script, str(Path(__file__).parent), str(count), f"{folder}/out"]
            process = subprocess.run(command, capture_output=True, text=True, check=True)
            peak[count] = float(process.stdout.split()[-1])
        figure(f"peak memory, {count} points", peak[count], "MB")
    figure(
        f"memory of {COUNT} points beyond that of {FEW}",
        peak[COUNT] - peak[FEW],
        "MB",
        target=64,
        at_least=False,
        accuracy=f"coordinates of all points are {COUNT * 4 * 8 / 2**20:.0f} MB",
    )


def test_two_workers_relative_to_one(figure):
    pytest.importorskip("distributed")
    from dovetail.campaign.cluster import connect

    count, chunk = COUNT, max(500, COUNT // 20)
    seconds = {}
    for workers in (1, 2):
        with connect(workers=workers) as cluster:
            timed(campaign(4 * chunk, chunk=chunk), cluster)  # compiles on every worker
            seconds[workers] = min(
                timed(campaign(count, chunk=chunk), cluster)[0] for _ in range(sized(3, 1))
            )
        figure(f"{count} points on {workers} dask worker(s)", count / seconds[workers], "points/s")
    figure("two dask workers over one", seconds[1] / seconds[2], "x", target=1.7)


class Warm(ThreadExecutor):
    """Threads of this process whose subject stays compiled from one campaign to the next."""

    subject = None

    def results(self, campaign, tasks):
        from dovetail.campaign import execute

        real = execute.subject_of
        execute.subject_of = lambda c: self.reused(real, c)
        try:
            yield from super().results(campaign, tasks)
        finally:
            execute.subject_of = real

    def reused(self, build, campaign):
        if Warm.subject is None:
            Warm.subject = build(campaign)
        return Warm.subject
