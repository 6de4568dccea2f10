"""Targets of chapters 6 and 7 of Bondoky's thesis: spacecraft, contact detector, scenarios, first impacts."""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail import testing
from dovetail.core import DormandPrince8
from dovetail.core.advance import run_samples
from dovetail.core.keep import Selected
from dovetail.core.system import FlowSystem
from dovetail.mechanics.bodies import FreeBodies, PairState
from dovetail.mechanics.bodies.mass_properties import MassProperties
from dovetail.mechanics.geometry import Drogue
from dovetail.studies.docking import six_dof
from dovetail.studies.docking.docking_map import worst_successes
from dovetail.studies.docking.docking_record import DockingRecord, record
from dovetail.studies.docking.docking_steps import DOCKED, DockingSystem, SixAxisInstruments
from dovetail.studies.registry import find_test

STEP = 10e-6  # [s] contact step with the rig
RIG = SixAxisInstruments()  # robot 1 ms, sensor 0.1 ms
SLOWER_SENSOR = 2 * np.pi * 0.1e-3  # [s] total delay of a sensor of 40,000 rad/s: eq. 5.6 for 0.1 ms
ONE = 1.2  # [s] contains the first impact at all speeds of the study


_chaser = jax.jit(six_dof.chaser, static_argnames="as_printed")  # one program instead of twenty small ones
_target = jax.jit(six_dof.target)


def _numbers(body: MassProperties) -> list[float]:
    """Return position of the centre along the body, mass, and inertia along and across."""
    centre, inertia = np.asarray(body.centre), np.asarray(body.inertia)
    return [float(v) for v in (centre[0], body.mass, inertia[0, 0], inertia[1, 1])]


def chaser_printed() -> list[float]:
    """RT-22, RT-23: centre, mass, inertia along and across with the cylinders of the table."""
    return _numbers(_chaser(as_printed=True))


def chaser_corrected() -> float:
    """RT-24: inertia across with cylinders about their centres."""
    return float(np.asarray(_chaser().inertia)[1, 1])


def target_printed() -> list[float]:
    """RT-25: centre, mass, inertia along and across of the target."""
    return _numbers(_target())


def initial_states() -> list[float]:
    """RT-26: initial x and z of the chaser, origin at the mouth of the drogue."""
    start = _start()
    return [float(start.first.p[0]) + 0.245, float(start.first.p[2])]


def target_place() -> float:
    """RT-26: initial x of the target, origin at the mouth of the drogue."""
    return float(_start().second.p[0]) + 0.245


def _start() -> PairState:
    start: PairState | None = _started(six_dof.published())
    assert start is not None
    return start


_started = eqx.filter_jit(lambda bodies: bodies.pair.start)  # one program instead of forty small ones


def free_flight() -> float:
    """RT-27: largest relative change of momentum, angular momentum and energy in 20 s of tumbling."""
    bodies = eqx.tree_at(lambda b: b.angular_velocity, six_dof.published(), jnp.array([0.3, -0.2, 0.4]))

    @eqx.filter_jit
    def kept(bodies):
        pair = bodies.pair
        now, _ = run_samples(FlowSystem(pair, DormandPrince8()), 0.1, 200, Selected())
        end, _ = now.x
        quantities = (pair.momentum, pair.angular_momentum, pair.kinetic_energy)
        return [(quantity(pair.start), quantity(end)) for quantity in quantities]

    changes = [
        float(np.linalg.norm(np.subtract(after, before)) / np.linalg.norm(before))
        for before, after in kept(bodies)
    ]
    return max(changes)


def detector() -> list[float]:
    """RT-28: largest jumps of gap [m] and normal at zone boundaries; largest distance of contact points to the wall."""
    drogue = six_dof.ball().cavity
    assert isinstance(drogue, Drogue)
    touch = jax.jit(jax.vmap(lambda p: drogue.touch(p, six_dof.TIP_RADIUS)))
    r_c, l_c, angle = (float(v) for v in (drogue.cylinder_radius, drogue.cylinder_length, drogue.half_angle))
    i = np.linspace(0.05, 0.95, 50) * r_c
    jumps = []
    for a in (np.zeros_like(i), (r_c - i) * np.tan(angle)):
        sides = [touch(jnp.asarray(np.stack([l_c + a + s, 0 * i, i], -1))) for s in (-1e-12, 1e-12)]
        jumps.append([float(np.abs(np.subtract(sides[0].gap, sides[1].gap)).max())])
        jumps[-1].append(float(np.abs(np.subtract(sides[0].normal, sides[1].normal)).max()))
    rng = np.random.default_rng(0)
    x = rng.uniform(0.0, float(drogue.mouth), 20000)
    wall = r_c + np.maximum(x - l_c, 0) * np.tan(angle)
    r, turn = wall * rng.uniform(0.01, 0.98, x.size), rng.uniform(-np.pi, np.pi, x.size)
    foot = np.asarray(touch(jnp.asarray(np.stack([x, r * np.sin(turn), r * np.cos(turn)], -1))).on_surface)
    off = np.hypot(foot[:, 1], foot[:, 2]) - (r_c + np.maximum(foot[:, 0] - l_c, 0) * np.tan(angle))
    return [*np.max(jumps, axis=0), float(np.abs(off).max())]


def success_map() -> list[object]:
    """RT-29: height and attitude of the worst successes; any success at 100 mm; symmetry about the middle."""
    data = testing.load(find_test("docking/map")).map.compute()
    low, high = worst_successes(data)
    far = bool((data.ending.sel(height=[-0.1, 0.1]) == DOCKED).any())
    symmetric = bool(np.array_equal(data.ending, data.ending[::-1, ::-1]))
    return [*(round(v, 9) for v in (*low, *high)), far, symmetric]


@cache
def ideal() -> DockingRecord:
    """Record the Docking Model in the scenario of section 6.5.2."""
    return record(DockingSystem.of(six_dof.published(), six_dof.ball()))


@cache
def hil() -> DockingRecord:
    """Record the HIL Model in the same scenario: robot 1 ms, sensor 0.1 ms."""
    return record(DockingSystem.of(six_dof.published(), six_dof.ball(), RIG, contact_step=STEP))


def energy_balance() -> float:
    """RT-30: largest relative deviation of the energy balance from its initial value."""
    balance = ideal().balance
    return float(np.abs(balance / balance[0] - 1).max())


def initial_energy() -> float:
    """RT-30: initial energy [J]."""
    return float(ideal().balance[0])


def impact_count() -> list[object]:
    """RT-31: number of impacts, and whether the probe docks."""
    return [len(ideal().impacts), ideal().docked]


def first_depth() -> float:
    """RT-32: peak penetration of the first impact [mm]."""
    return 1e3 * ideal().first.peak_depth


def second_impact_earlier() -> bool:
    """RT-33: the second impact is earlier with the rig."""
    return hil().impacts[1].start < ideal().impacts[1].start


def generated_energy() -> float:
    """RT-34: final over initial energy with the rig."""
    return hil().energy_ratio


def generated_energy_with_slower_sensor() -> float:
    """RT-34c: final over initial energy with the rig, with a sensor of 40,000 rad/s."""
    tools = SixAxisInstruments(sensor_delay=SLOWER_SENSOR)
    return record(
        DockingSystem.of(six_dof.published(), six_dof.ball(), tools, contact_step=STEP)
    ).energy_ratio


def dissipated_exceeds_initial() -> bool:
    """RT-34: dissipated energy at the end exceeds the initial energy."""
    last = hil().traces
    return bool(last["impact_heat"][-1] + last["friction_dissipation"][-1] > hil().balance[0])


def worst_case() -> list[bool]:
    """RT-35: whether (+7.5 degrees, +75 mm) docks, without and with the rig."""
    bodies, ball = six_dof.case_study(7.5, 75e-3), six_dof.ball(30e-3)
    on_rig = record(DockingSystem.of(bodies, ball, RIG, contact_step=STEP))
    return [record(DockingSystem.of(bodies, ball)).docked, on_rig.docked]


def first_errors(
    delay: float = 1e-3, resolution: float = 1e-6, bodies: FreeBodies | None = None, sensor: float = 0.1e-3
) -> dict[str, float]:
    """Return errors of the first impact by the rig in percent (force, penetration, speed), and reference values."""
    bodies = six_dof.published() if bodies is None else bodies
    tools = SixAxisInstruments(
        robot_delay=delay,
        sensor_delay=sensor,
        position_resolution=resolution,
        angle_resolution=resolution,
    )
    true = record(DockingSystem.of(bodies, six_dof.ball()), until=ONE).first
    rig = record(DockingSystem.of(bodies, six_dof.ball(), tools, contact_step=STEP), until=ONE)
    got = rig.first
    return {
        "force": 100 * (got.peak_force / true.peak_force - 1),
        "depth": 100 * (got.peak_depth / true.peak_depth - 1),
        "speed": 100 * (got.speed_out / true.speed_out - 1),
        "ideal_force": true.peak_force,
        "ideal_depth": true.peak_depth,
        "ideal_duration": true.duration,
        "peak_force": got.peak_force,
        "depth_integral": _first_integral(rig),
    }


def _first_integral(rig: DockingRecord) -> float:
    """Return the integral of the penetration over the first contact [m s]."""
    start, length = rig.first.start, rig.first.duration
    inside = (rig.time >= start) & (rig.time <= start + length)
    return float(np.trapezoid(np.maximum(rig.traces["penetration"][inside], 0), rig.time[inside]))


DELAYS = (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, *range(20, 101, 10))  # [ms] sec. 7.4.1
ROUNDINGS = (0.1, 1, 5, 10, 50, 100, 500, 1000)  # [um, 1e-6 rad] sec. 7.4.1


def errors_grow_with_delay() -> list[bool]:
    """RT-36: the errors of force, penetration and speed grow with the delay."""
    rows = [_rounded(delay * 1e-3, 1e-6) for delay in DELAYS]
    return [bool(np.all(np.diff([row[name] for row in rows]) > 0)) for name in ("force", "depth", "speed")]


def errors_over_delay() -> list[float]:
    """RT-36: error of force, then of penetration [%], at 0.5, 1, 2, 4 and 10 ms, with a sensor of 40,000 rad/s."""
    rows = [first_errors(delay * 1e-3, sensor=SLOWER_SENSOR) for delay in (0.5, 1, 2, 4, 10)]
    return [row[name] for name in ("force", "depth") for row in rows]


@cache
def _rounded(delay: float, resolution: float) -> dict[str, float]:
    return first_errors(delay, resolution)


def resolution_rule() -> list[bool]:
    """RT-37: rounding of 10 um changes the peak force by less than 10 %, of 100 um by more than 20 %."""
    fine, fair, coarse = (_rounded(1e-3, r)["peak_force"] for r in (1e-6, 1e-5, 1e-4))
    return [abs(fair / fine - 1) < 0.1, abs(coarse / fine - 1) > 0.2]


def rounding_matters_below_four_milliseconds() -> bool:
    """RT-38: roundings below 0.1 mm change the force error by a larger fraction at delays below 4 ms than above."""

    def share(delay: float) -> float:
        errors = [_rounded(delay * 1e-3, r * 1e-6)["force"] for r in ROUNDINGS if r < 100]
        return (max(errors) - min(errors)) / min(errors)

    return min(share(d) for d in DELAYS if d < 4) > max(share(d) for d in DELAYS if d > 4)


def coarse_rounding_flatters_integrals() -> list[bool]:
    """RT-39: at delays of 20, 30, 50 and 100 ms the integral of the penetration decreases with coarser rounding."""
    grid = [[_rounded(d * 1e-3, r * 1e-6)["depth_integral"] for r in ROUNDINGS] for d in (20, 30, 50, 100)]
    return [bool(np.all(np.diff(row) < 0)) for row in grid]


def sensor_delay_is_no_key() -> bool:
    """RT-18: the sensor delay changes the force error by less than 10 % of the change by the robot delay."""
    by_sensor = [first_errors(sensor=delay)["force"] for delay in (10e-6, 0.1e-3, 0.5e-3, 1e-3)]
    by_robot = [_rounded(delay, 1e-6)["force"] for delay in (0.5e-3, 1e-3, 2e-3)]
    return bool(np.ptp(by_sensor) < 0.1 * np.ptp(by_robot))


def _lighter(first: float, second: float) -> FreeBodies:
    """Return the scenario with other masses [kg] and inertias scaled in proportion."""
    bodies = six_dof.published()
    a, b = first / 360.466, second / 770.0
    assert isinstance(bodies.second, MassProperties)
    return eqx.tree_at(
        lambda s: (s.first.mass, s.first.inertia, s.second.mass, s.second.inertia),
        bodies,
        (
            jnp.asarray(first, float),
            a * bodies.first.inertia,
            jnp.asarray(second, float),
            b * bodies.second.inertia,
        ),
    )


def mass_sweep() -> list[bool]:
    """RT-41: with decreasing mass the error grows, and contact time, force and penetration decrease."""
    pairs = ((360.0, 770.0), (175.0, 375.0), (50.0, 100.0), (35.0, 70.0), (35.0, 35.0), (10.0, 10.0))
    rows = [first_errors(bodies=_lighter(*pair)) for pair in pairs]
    grows = [np.diff([row["force"] for row in rows]) > 0]
    falls = [np.diff([row[n] for row in rows]) < 0 for n in ("ideal_duration", "ideal_force", "ideal_depth")]
    return [bool(np.all(x)) for x in grows + falls]


def velocity_sweep() -> list[bool]:
    """RT-42: from 0.05 to 0.15 m/s the force error changes by at most a third, the force by more than a factor of 3."""
    rows = []
    for speed in (0.05, 0.1, 0.15):
        bodies = eqx.tree_at(lambda b: b.velocity, six_dof.published(), jnp.array([speed, 0.0, 0.0]))
        rows.append(first_errors(bodies=bodies))
    errors, forces = [row["force"] for row in rows], [row["ideal_force"] for row in rows]
    return [max(errors) / min(errors) < 1.34, max(forces) / min(forces) > 3]
