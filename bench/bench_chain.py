"""Chains against other engines: steps a second on one problem, with the accuracy beside it.

A chain of 10 m and 1 kg/m is released at 45 degrees; RK4 at 1 ms. Peers that are not installed are left out.
Times are those of the processor, not of the clock on the wall, so that other work on the machine does not favour
whoever runs shorter; all of them run on one thread.
"""

import importlib.util
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import PointDevice, TowedLinks
from dovetail.core import RK4, Flow
from dovetail.mechanics.chain import LinkChain, Loads, ManyLinks
from dovetail.mechanics.chain.many import LANES

_file = Path(__file__).parents[1] / "tests" / "mechanics" / "chain" / "judges.py"
_spec = importlib.util.spec_from_file_location("judges", _file)
judges = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(judges)

ALONG = jnp.array([1.0, 0.0, -1.0]) / jnp.sqrt(2.0)
DOWN = Loads(field=jnp.array([0.0, 0.0, -judges.G]))
DT = 1e-3  # [s]


def ours(n, distribution, *, dt=DT, duration=1.0, rounds=5):
    """Tip after `duration`, and steps a second: the median of a few rounds, as a clock may skip once."""
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


def theirs(engine, n, rounds=3, **options):
    """Tip after a second, and steps a second, the median; None where the engine is not installed."""
    function = {
        "MuJoCo": judges.mujoco_chain,
        "Pinocchio": judges.pinocchio_chain,
        "DART": judges.dart_chain,
        "MoorDyn": judges.moordyn_chain,
    }
    try:
        found = [function[engine](n, **options)[:2] for _ in range(rounds)]
    except ImportError:
        return None
    return found[0][0], round(1.0 / options.get("dt", DT)) / np.median([wall for _, wall in found])


@pytest.mark.parametrize(
    ("n", "ratios"), [(20, {"Pinocchio": 2, "MuJoCo": 3}), (60, {"Pinocchio": 3, "MuJoCo": 20})]
)
def test_exactly_their_problem(figure, n, ratios):
    tip, speed = ours(n, "rod")
    figure(f"thin rods, N = {n}: ours", speed, "steps/s")
    for engine, target in ratios.items():
        found = theirs(engine, n)
        if found is None:
            continue
        apart = np.linalg.norm(tip - found[0])
        figure(f"thin rods, N = {n}: {engine}", found[1], "steps/s")
        figure(
            f"thin rods, N = {n}: over {engine}",
            speed / found[1],
            "x",
            target=target,
            accuracy=f"{apart:.1e} m apart",
        )
        assert apart < 1e-5


def test_the_rope_that_a_user_means(figure):
    reference, _ = ours(640, "half", rounds=1)

    def cheapest(candidates):
        """The first, from few links to many and from long steps to short, whose tip is within 2 mm."""
        for label, (tip, speed), dt in candidates:
            error = np.linalg.norm(tip - reference)
            if error < 2e-3:
                return label, 1.0 / (speed * dt), error  # processor seconds a simulated second
        return None

    mine = cheapest(
        (f"{n} links, {dt * 1e3:g} ms", ours(n, "half", dt=dt), dt)
        for n in (16, 20, 24, 32)
        for dt in (5e-3, 2e-3, 1e-3)
    )
    figure("rope to 2 mm: ours", mine[1] * 1e3, "ms per s", accuracy=f"{mine[0]}, {mine[2] * 1e3:.2f} mm")
    walls = {}
    # DART has Euler's steps: of all that are exact enough, the cheapest counts
    steps = {"Pinocchio": (5e-3, 2e-3, 1e-3), "MuJoCo": (5e-3, 2e-3, 1e-3), "DART": (1e-3, 5e-4, 2e-4, 1e-4)}
    for engine, dts in steps.items():
        if theirs(engine, 4, rounds=1) is None:
            continue
        reached = [
            found
            for n in (8, 12, 16, 20, 24)
            if (
                found := cheapest((f"{n} links, {dt * 1e3:g} ms", theirs(engine, n, dt=dt), dt) for dt in dts)
            )
        ]
        found = min(reached, key=lambda item: item[1]) if reached else None
        if found:
            walls[engine] = found[1]
            figure(
                f"rope to 2 mm: {engine}",
                found[1] * 1e3,
                "ms per s",
                accuracy=f"{found[0]}, {found[2] * 1e3:.2f} mm",
            )
    if walls:
        figure("rope to 2 mm: over the fastest peer", min(walls.values()) / mine[1], "x", target=8)


def test_thin_rods_against_an_engine_with_eulers_steps(figure):
    for n in (20, 60):
        found = theirs("DART", n)
        if found is None:
            pytest.skip("DART is not installed")
        tip, speed = ours(n, "rod")
        apart = np.linalg.norm(tip - found[0])
        figure(f"thin rods, N = {n}: DART, Euler", found[1], "steps/s", accuracy=f"{apart:.1e} m apart")


def test_compiled_against_plain_numpy(figure):
    from dovetail.mechanics.chain import RodChain
    from dovetail.mechanics.chain.plain import plain_run

    chain = RodChain(
        n=20,
        length=250.0,
        mass=80.0,
        stiffness=6.25e6,
        axial_damping=1e6,
        bending=300.0,
        joint_damping=800.0,
    )
    pull, number, h = np.array([10e3, 0.0, 10e3]), 1000, 1e-3
    loads = Loads(field=jnp.array([0.0, judges.G, 0.0]), node=jnp.zeros((3, 21)).at[:, -1].set(pull))
    start = chain.at(0.0, np.pi / 4, 0.0)

    @jax.jit
    def run(x):
        def one(x, _):
            return RK4().step(chain, 0.0, h, x, loads, ())[0], None

        return jax.lax.scan(one, x, None, length=number)[0]

    end = jax.block_until_ready(run(start))
    walls = []
    for _ in range(5):
        begin = time.process_time()
        jax.block_until_ready(run(start))
        walls.append(time.process_time() - begin)
    begin = time.process_time()
    plain = plain_run(chain, start, np.array([0.0, judges.G, 0.0]), pull, h, number)
    slow = time.process_time() - begin
    apart = np.abs(plain["q"] - end["q"]).max()
    assert apart < 1e-9
    figure("20 rods: microseconds an evaluation, compiled", np.median(walls) / number / 4 * 1e6, "us")
    figure(
        "20 rods: compiled over plain NumPy",
        slow / np.median(walls),
        "x",
        target=10,
        accuracy=f"{apart:.1e} rad apart",
    )


def test_batch_over_threads(figure):
    from dovetail.studies.capture import specification

    points = np.column_stack([np.linspace(20e-3, 30e-3, 64), np.linspace(200.0, 320.0, 64)])
    seconds = {}
    for workers in (1, 2):
        specification.settle_batch(points, links=20, duration=60.0, workers=workers)
        begin = time.perf_counter()
        specification.settle_batch(points, links=20, duration=60.0, workers=workers)
        seconds[workers] = time.perf_counter() - begin
    figure("64 ropes on two threads over one (wall clock)", seconds[1] / seconds[2], "x")


def test_against_an_extensible_line(figure):
    _, speed = ours(20, "half")
    found = theirs("MoorDyn", 20, reach=0.98, ba=500.0, dt=5e-4)
    if found is None:
        pytest.skip("MoorDyn is not installed")
    # seconds a simulated second: MoorDyn needs half our step at EA = 1 MN to be stable
    figure("N = 20: over MoorDyn at EA = 1 MN", (1 / found[1] * 2000) / (1 / speed * 1000), "x", target=4)


def test_cost_grows_linearly_with_the_links(figure):
    numbers = (20, 60, 160, 320, 640)
    speeds = [ours(n, "half", duration=0.5)[1] for n in numbers]
    for n, speed in zip(numbers, speeds, strict=True):
        figure(f"point masses, N = {n}", speed, "steps/s")
    exponent = -np.polyfit(np.log(numbers), np.log(speeds), 1)[0]
    figure("exponent of the cost by links, 20 to 640", exponent, "", target=1.1, at_least=False)


def test_distance_to_a_compiled_floor(figure):
    # the hand-written point-mass Euler steps, 2.1 M and 0.7 M a second; RK4 has four evaluations a step
    for n, floor in ((20, 2.1e6), (60, 0.7e6)):
        for distribution in ("half", "rod"):
            speed = ours(n, distribution)[1]
            figure(f"evaluations over the compiled floor, N = {n}, {distribution}", 4 * speed / floor, "x")


def test_two_minutes_of_the_capture_scenario(figure):
    from dovetail.air import PointDevice, TowedRope

    chain = LinkChain(n=20, length=250.0, mass=82.25, bending=224.75, joint_damping=822.5)
    system = TowedRope(chain=chain, device=PointDevice(mass=150.0), density=0.7)

    @jax.jit
    def run(system):
        def one(x, k):
            x = RK4().step(system, k * 1e-2, 1e-2, x, None, ())[0]
            return x, system.output((k + 1) * 1e-2, x, None)["displacement"]

        return jax.lax.scan(one, system.init(), jnp.arange(12_000))[1]

    depth = np.asarray(run(system))[-1, 1]
    walls = []
    for _ in range(3):
        begin = time.process_time()
        jax.block_until_ready(run(system))
        walls.append(time.process_time() - begin)
    figure(
        "120 s of capture, 20 links, one core",
        np.median(walls),
        "s",
        target=0.5,
        at_least=False,
        accuracy=f"settles at {depth:.2f} m",
    )


def test_a_thousand_ropes_in_one_batch(figure):
    """Ropes of 20 links, each of its own mass and length: 10 s of a swing, and 10 s behind an aircraft with a device.

    One by one is one compiled program called again and again, as a user would. Together they are computed in lanes
    (`ManyLinks`), on one core, and on two by a thread each.
    """
    masses, lengths = np.linspace(40.0, 140.0, 1000), np.linspace(200.0, 300.0, 1000)
    for name, alone, together in (
        ("1000 ropes that swing", swinging_alone, swinging_together),
        ("1000 ropes with a device that settle", towed_alone, towed_together),
    ):
        one_by_one, tip = per_run(lambda k, alone=alone: alone(masses[k], lengths[k]), 20)
        pieces = [np.arange(k, k + LANES) % 1000 for k in range(0, 1000, LANES)]

        def piece(index, together=together):
            return np.asarray(together(masses[index], lengths[index]))

        apart = np.abs(piece(pieces[0])[:, 0] - tip).max()
        assert apart < 1e-8
        on_one = typical(lambda piece=piece, pieces=pieces: [piece(i) for i in pieces]) / 1000
        with ThreadPoolExecutor(2) as pool:
            on_two = (
                typical(lambda piece=piece, pieces=pieces, pool=pool: list(pool.map(piece, pieces))) / 1000
            )
        figure(f"{name}: one by one", 1e3 * one_by_one, "ms", accuracy=f"{apart:.0e} m apart")
        figure(f"{name}: in lanes on one core over one by one", one_by_one / on_one, "x")
        figure(f"{name}: in lanes on two cores over one by one", one_by_one / on_two, "x", target=5)
        batch = jax.jit(jax.vmap(alone))
        plain = typical(lambda batch=batch: jax.block_until_ready(batch(masses, lengths)), 2) / 1000
        figure(f"{name}: plain vmap over one by one", one_by_one / plain, "x")


def typical(call, rounds=5):
    """Seconds on the clock of the wall, the median after a round that is not counted: it may compile."""
    call()
    walls = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        walls.append(time.perf_counter() - begin)
    return float(np.median(walls))


def per_run(call, number):
    """Seconds of one of so many calls, and what the first gives."""
    seconds = typical(lambda: [jax.block_until_ready(call(k)) for k in range(number)]) / number
    return seconds, np.asarray(call(0))


def ropes(mass, length):
    return LinkChain(n=20, length=length, mass=mass, tip_mass=150.0, mass_damping=0.02)


def marched(flow, x, u):
    def one(x, _):
        return RK4().step(flow, 0.0, 1e-2, x, u, ())[0], None

    return jax.lax.scan(one, x, None, length=1000)[0]["position"]


@jax.jit
def swinging_alone(mass, length):
    rope = ropes(mass, length)
    return marched(rope, rope.straight(ALONG), DOWN)[:, -1]


@jax.jit
def swinging_together(mass, length):
    many = ManyLinks.of(ropes(mass, length))
    return marched(many, many.straight(ALONG), (DOWN.field, 0.0))[-1]


class Towed(Flow):
    """One rope behind an aircraft, with what `TowedLinks` has and no more."""

    rope: LinkChain
    device: PointDevice = PointDevice(mass=150.0)

    def derivative(self, t, x, u):
        wind = jnp.array([170.0, 0.0, 0.0]) - x["velocity"][:, -1]
        force = self.device.force({}, wind, 0.7, 170.0, jnp.zeros(2))
        node = jnp.concatenate([jnp.zeros((3, 20)), force[:, None]], axis=1)
        return self.rope.derivative(t, x, Loads(field=jnp.array([0.0, 9.81, 0.0]), node=node))

    def init(self):
        return self.rope.straight(jnp.array([1.0, 0.0, 0.0]))

    def output(self, t, x, u):
        return x


@jax.jit
def towed_alone(mass, length):
    rope = Towed(ropes(mass, length))
    return marched(rope, rope.init(), None)[:, -1]


@jax.jit
def towed_together(mass, length):
    sweep = TowedLinks(ropes=ManyLinks.of(ropes(mass, length)), device=PointDevice(mass=150.0))
    return marched(sweep, sweep.init(), None)[-1]
