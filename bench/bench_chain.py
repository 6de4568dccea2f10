"""Speed of chains relative to other engines: steps per second on one problem, with the accuracy beside it.

A chain of 10 m and 1 kg/m is released at 45 degrees; RK4 at 1 ms. Engines that are not installed are left out.
Times are processor times, so that other work on the machine does not favour the engine with the shorter run. Every
engine has one thread.
"""

import importlib.util
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sizes import sized

from dovetail.air import PointDevice, TowedLinkBatch
from dovetail.core import RK4, Flow
from dovetail.mechanics.chain import ChainLoads, LinkChain, LinkChainBatch
from dovetail.mechanics.chain.link_chain_batch import LANES

_file = Path(__file__).parents[1] / "tests" / "mechanics" / "chain" / "other_engines.py"
_spec = importlib.util.spec_from_file_location("judges", _file)
judges = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(judges)

ALONG = jnp.array([1.0, 0.0, -1.0]) / jnp.sqrt(2.0)
DOWN = ChainLoads(field=jnp.array([0.0, 0.0, -judges.G]))
DT = 1e-3  # [s]
ROUNDS = sized(5, 1)
ROPES, ROPE_STEPS = sized((1000, 1000), (LANES, 50))  # of a sweep


def ours(n, distribution, *, dt=DT, duration=1.0, rounds=ROUNDS):
    """Return the tip after `duration` and the median of steps per second over some rounds."""
    chain = LinkChain(n=n, length=judges.LENGTH, mass=judges.MASS, distribution=distribution)
    steps = round(duration / dt)

    @jax.jit
    def run(x):
        def one(x, _):
            return RK4().step(chain, 0.0, dt, x, DOWN, ())[0], None

        return jax.lax.scan(one, x, None, length=steps)[0]

    x = chain.straight(ALONG)
    end = jax.block_until_ready(run(x))
    walls = []
    for _ in range(rounds):
        begin = time.process_time()
        jax.block_until_ready(run(x))
        walls.append(time.process_time() - begin)
    return np.asarray(chain.nodes(end).tip[0]), steps / np.median(walls)


def theirs(engine, n, rounds=ROUNDS, **options):
    """Return the tip after 1 s and the median of steps per second; None if the engine is not installed."""
    function = {
        "MuJoCo": judges.mujoco_chain,
        "Pinocchio": judges.pinocchio_chain,
        "DART": judges.dart_chain,
        "MoorDyn": judges.moordyn_chain,
    }
    try:
        runs = [function[engine](n, **options)[:2] for _ in range(rounds)]
    except ImportError:
        return None
    return runs[0][0], round(1.0 / options.get("dt", DT)) / np.median([wall for _, wall in runs])


@pytest.mark.parametrize(
    ("n", "ratios"), [(20, {"Pinocchio": 2, "MuJoCo": 3}), (60, {"Pinocchio": 3, "MuJoCo": 20})]
)
def test_thin_rods_as_in_other_engines(figure, n, ratios):
    tip, speed = ours(n, "rod")
    figure(f"thin rods, N = {n}: ours", speed, "steps/s")
    for engine, target in ratios.items():
        result = theirs(engine, n)
        if result is None:
            continue
        difference = np.linalg.norm(tip - result[0])
        figure(f"thin rods, N = {n}: {engine}", result[1], "steps/s")
        figure(
            f"thin rods, N = {n}: over {engine}",
            speed / result[1],
            "x",
            target=target,
            accuracy=f"{difference:.1e} m difference",
        )
        assert difference < 1e-5


def test_rope_of_equal_accuracy(figure):
    """Each engine takes its cheapest number of links and step with the tip within 2 mm of a rope of 640 links."""
    reference, _ = ours(640, "half", rounds=1)

    def cheapest(candidates):
        """Return the first whose tip is within 2 mm, from few links to many and from long steps to short."""
        for label, (tip, speed), dt in candidates:
            error = np.linalg.norm(tip - reference)
            if error < 2e-3:
                return label, 1.0 / (speed * dt), error  # processor seconds per simulated second
        return None

    mine = cheapest(
        (f"{n} links, {dt * 1e3:g} ms", ours(n, "half", dt=dt), dt)
        for n in sized((16, 20, 24, 32), (32,))
        for dt in sized((5e-3, 2e-3, 1e-3), (1e-3,))
    )
    figure("rope to 2 mm: ours", mine[1] * 1e3, "ms per s", accuracy=f"{mine[0]}, {mine[2] * 1e3:.2f} mm")
    costs = {}
    # DART has Euler's steps only; of all its accurate combinations the cheapest counts
    steps = {"Pinocchio": (5e-3, 2e-3, 1e-3), "MuJoCo": (5e-3, 2e-3, 1e-3), "DART": (1e-3, 5e-4, 2e-4, 1e-4)}
    for engine, dts in steps.items():
        if theirs(engine, 4, rounds=1) is None:
            continue
        accurate = [
            choice
            for n in sized((8, 12, 16, 20, 24), (24,))
            if (
                choice := cheapest(
                    (f"{n} links, {dt * 1e3:g} ms", theirs(engine, n, dt=dt), dt)
                    for dt in dts[-sized(9, 1) :]
                )
            )
        ]
        if accurate:
            label, cost, error = min(accurate, key=lambda item: item[1])
            costs[engine] = cost
            figure(
                f"rope to 2 mm: {engine}", cost * 1e3, "ms per s", accuracy=f"{label}, {error * 1e3:.2f} mm"
            )
    if costs:
        figure("rope to 2 mm: over the fastest other engine", min(costs.values()) / mine[1], "x", target=8)


def test_thin_rods_relative_to_eulers_steps(figure):
    for n in (20, 60):
        result = theirs("DART", n)
        if result is None:
            pytest.skip("DART is not installed")
        tip, speed = ours(n, "rod")
        difference = np.linalg.norm(tip - result[0])
        figure(
            f"thin rods, N = {n}: DART, Euler",
            result[1],
            "steps/s",
            accuracy=f"{difference:.1e} m difference",
        )


def test_compiled_against_plain_loops(figure):
    from dovetail.mechanics.chain import RodChain
    from dovetail.studies.capture.plain_loops import loop_run

    chain = RodChain(
        n=20,
        length=250.0,
        mass=80.0,
        stiffness=6.25e6,
        axial_damping=1e6,
        bending=300.0,
        joint_damping=800.0,
    )
    pull, number, h = np.array([-10e3, -10e3, 0.0]), sized(200, 5), 1e-3
    loads = ChainLoads(field=DOWN.field, node=jnp.zeros((3, 21)).at[:, -1].set(pull))
    start = chain.rest_state(0.0, np.pi / 4, 0.0)

    @jax.jit
    def run(x):
        def one(x, _):
            return RK4().step(chain, 0.0, h, x, loads, ())[0], None

        return jax.lax.scan(one, x, None, length=number)[0]

    end = jax.block_until_ready(run(start))
    walls = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        jax.block_until_ready(run(start))
        walls.append(time.process_time() - begin)
    begin = time.process_time()
    plain = loop_run(chain, start, np.asarray(DOWN.field), pull, h, number)
    slow = time.process_time() - begin
    difference = np.abs(plain - end["q"]).max()
    assert difference < 1e-9
    figure("20 rods: time per evaluation, compiled", np.median(walls) / number / 4 * 1e6, "us")
    figure(
        "20 rods: compiled over plain Python",
        slow / np.median(walls),
        "x",
        target=10,
        accuracy=f"{difference:.1e} rad difference",
    )


def test_batch_over_threads(figure):
    from dovetail.studies.capture import specification

    count, duration = sized((64, 60.0), (4, 2.0))
    points = np.column_stack([np.linspace(20e-3, 30e-3, count), np.linspace(200.0, 320.0, count)])
    seconds = {}
    for workers in (1, 2):
        specification.settle_batch(points, links=20, duration=duration, workers=workers)
        begin = time.perf_counter()
        specification.settle_batch(points, links=20, duration=duration, workers=workers)
        seconds[workers] = time.perf_counter() - begin
    figure(f"{count} ropes on two threads over one (wall time)", seconds[1] / seconds[2], "x")


def test_extensible_line(figure):
    _, speed = ours(20, "half")
    result = theirs("MoorDyn", 20, reach=0.98, ba=500.0, dt=5e-4)
    if result is None:
        pytest.skip("MoorDyn is not installed")
    # seconds per simulated second: at EA = 1 MN MoorDyn is stable with half our step only
    figure("N = 20: over MoorDyn at EA = 1 MN", (1 / result[1] * 2000) / (1 / speed * 1000), "x", target=4)


def test_cost_grows_linearly_with_the_links(figure):
    numbers = sized((20, 60, 160, 320, 640), (20, 60))
    speeds = [ours(n, "half", duration=0.5)[1] for n in numbers]
    for n, speed in zip(numbers, speeds, strict=True):
        figure(f"point masses, N = {n}", speed, "steps/s")
    exponent = -np.polyfit(np.log(numbers), np.log(speeds), 1)[0]
    figure(
        f"exponent of the cost over the number of links, {numbers[0]} to {numbers[-1]}",
        exponent,
        "",
        target=1.1,
        at_least=False,
    )


def test_evaluations_relative_to_plain_compiled_code(figure):
    # hand-written Euler steps of point masses: 2.1 and 0.7 million per second; RK4 has four evaluations per step
    for n, floor in ((20, 2.1e6), (60, 0.7e6)):
        for distribution in ("half", "rod"):
            speed = ours(n, distribution)[1]
            figure(f"evaluations over plain compiled code, N = {n}, {distribution}", 4 * speed / floor, "x")


def test_capture_scenario_of_two_minutes(figure):
    from dovetail.air import PointDevice, TowedRope

    chain = LinkChain(n=20, length=250.0, mass=82.25, bending=224.75, joint_damping=822.5)
    steps = sized(12_000, 100)
    system = TowedRope(chain=chain, device=PointDevice(mass=150.0), density=0.7)

    @jax.jit
    def run(system):
        def one(x, k):
            x = RK4().step(system, k * 1e-2, 1e-2, x, None, ())[0]
            return x, system.output((k + 1) * 1e-2, x, None)["displacement"]

        return jax.lax.scan(one, system.init(), jnp.arange(steps))[1]

    depth = -np.asarray(run(system))[-1, 2]
    walls = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        jax.block_until_ready(run(system))
        walls.append(time.process_time() - begin)
    figure(
        f"{steps * 1e-2:g} s of capture, 20 links, one core",
        np.median(walls),
        "s",
        target=0.5,
        at_least=False,
        accuracy=f"device {depth:.2f} m below the aircraft at the end",
    )


def test_many_ropes_in_one_batch(figure):
    """Ropes of 20 links with different masses and lengths: 10 s of a swing, and 10 s with a device behind an aircraft.

    One by one: one compiled program is called for each rope. Together: lanes of the vector units (`LinkChainBatch`), on
    one core, and on two cores with one thread each.
    """
    masses, lengths = np.linspace(40.0, 140.0, ROPES), np.linspace(200.0, 300.0, ROPES)
    for name, alone, together in (
        (f"{ROPES} swinging ropes", swinging_alone, swinging_together),
        (f"{ROPES} towed ropes with a device", towed_alone, towed_together),
    ):
        one_by_one, tip = per_run(lambda k, alone=alone: alone(masses[k], lengths[k]), sized(20, 2))
        pieces = [np.arange(k, k + LANES) % ROPES for k in range(0, ROPES, LANES)]

        def piece(index, together=together):
            return np.asarray(together(masses[index], lengths[index]))

        difference = np.abs(piece(pieces[0])[:, 0] - tip).max()
        assert difference < 1e-8
        on_one = typical(lambda piece=piece, pieces=pieces: [piece(i) for i in pieces]) / ROPES
        with ThreadPoolExecutor(2) as pool:
            on_two = (
                typical(lambda piece=piece, pieces=pieces, pool=pool: list(pool.map(piece, pieces))) / ROPES
            )
        figure(f"{name}: one by one", 1e3 * one_by_one, "ms", accuracy=f"{difference:.0e} m difference")
        figure(f"{name}: in lanes on one core over one by one", one_by_one / on_one, "x")
        figure(f"{name}: in lanes on two cores over one by one", one_by_one / on_two, "x", target=5)
        batch = jax.jit(jax.vmap(alone))
        plain = (
            typical(lambda batch=batch: jax.block_until_ready(batch(masses, lengths)), sized(2, 1)) / ROPES
        )
        figure(f"{name}: plain vmap over one by one", one_by_one / plain, "x")


def typical(call, rounds=ROUNDS):
    """Return the median wall time [s] of some rounds, after one that may compile."""
    call()
    walls = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        walls.append(time.perf_counter() - begin)
    return float(np.median(walls))


def per_run(call, number):
    """Return the seconds of one of `number` calls, and the result of the first."""
    seconds = typical(lambda: [jax.block_until_ready(call(k)) for k in range(number)]) / number
    return seconds, np.asarray(call(0))


def ropes(mass, length):
    return LinkChain(n=20, length=length, mass=mass, tip_mass=150.0, mass_damping=0.02)


def final_position(flow, x, u):
    """Return the positions of the nodes after `ROPE_STEPS` of 10 ms."""

    def one(x, _):
        return RK4().step(flow, 0.0, 1e-2, x, u, ())[0], None

    return jax.lax.scan(one, x, None, length=ROPE_STEPS)[0]["position"]


@jax.jit
def swinging_alone(mass, length):
    rope = ropes(mass, length)
    return final_position(rope, rope.straight(ALONG), DOWN)[:, -1]


@jax.jit
def swinging_together(mass, length):
    many = LinkChainBatch.from_chains(ropes(mass, length))
    return final_position(many, many.straight(ALONG), (DOWN.field, 0.0))[-1]


class Towed(Flow):
    """One rope behind an aircraft, with the physics of `TowedLinkBatch`."""

    rope: LinkChain
    device: PointDevice = PointDevice(mass=150.0)

    def derivative(self, t, x, u):
        wind = jnp.array([-170.0, 0.0, 0.0]) - x["velocity"][:, -1]
        force = self.device.force({}, wind, 0.7, 170.0, jnp.zeros(2))
        node = jnp.concatenate([jnp.zeros((3, 20)), force[:, None]], axis=1)
        return self.rope.derivative(t, x, ChainLoads(field=jnp.array([0.0, 0.0, -9.81]), node=node))

    def init(self):
        return self.rope.straight(jnp.array([-1.0, 0.0, 0.0]))

    def output(self, t, x, u):
        return x


@jax.jit
def towed_alone(mass, length):
    rope = Towed(ropes(mass, length))
    return final_position(rope, rope.init(), None)[:, -1]


@jax.jit
def towed_together(mass, length):
    sweep = TowedLinkBatch(
        ropes=LinkChainBatch.from_chains(ropes(mass, length)), device=PointDevice(mass=150.0)
    )
    return final_position(sweep, sweep.init(), None)[-1]
