"""Targets of hose and reel that need no specimen: steady flight, modes, a pulse, reel-in, delay."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import StandardAtmosphere
from dovetail.air.drogue import TowedDrogue
from dovetail.air.drogue_hose import flight_modes, steady_flight
from dovetail.air.receiver import SpeedProfile
from dovetail.core import RK4, Flow, Method
from dovetail.core.advance import run_samples
from dovetail.core.keep import Selected
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import System
from dovetail.mechanics.chain import FixedReel
from dovetail.stability import DelayEquation, growth_rate, integrate
from dovetail.stability.contact_delay import (
    damper_work,
    damping_bounds,
    max_stable_delay,
    penetration,
    spring_work,
    work_by_quadrature,
)
from dovetail.studies.refuelling.assembly import BENDING, DRAG, LENGTH, drogue_hose, hose
from dovetail.studies.refuelling.reel_in import TOLD
from dovetail.studies.target_values import recorded_run

DROGUE = TowedDrogue()
FREE = TowedDrogue(joint_friction=0.0, aero_moment=0.0)
SINE: dict[str, Any] = {"amplitude": 0.01, "omega": 40.0}


@cache
def trimmed(links: int = 19) -> dict[str, np.ndarray]:
    """Return steady flight without bending, friction and moment, the assumptions of the published numbers."""
    flight = steady_flight(drogue_hose(chain=hose(links, bending=None), drogue=FREE))
    return {name: np.asarray(value) for name, value in flight.items()}


def end_tension() -> float:
    """RT-01: tension at the end of the hose [N]."""
    return float(trimmed()["tension"][-2])


def density() -> float:
    """Density of the standard atmosphere at 8000 m [kg/m^3]."""
    return float(eqx.filter_jit(StandardAtmosphere.density)(StandardAtmosphere(), jnp.asarray(8000.0)))


def late_loop() -> list[str]:
    """Behaviour of a mass on a delayed spring and damper with damping of 0.95, 1 and 1.05 times k times delay."""
    m, k, delay = 1.0, 1000.0, 0.01
    words = []
    for share in (0.95, 1.0, 1.05):
        late = np.array([[0.0, 0.0], [-k / m, -share * k * delay / m]])
        loop = DelayEquation(np.array([[0.0, 1.0], [0.0, 0.0]]), [(late, delay)])
        trace = integrate(loop, t_end=4.0, dt=5e-4, history=[1.0, 0.0])
        growth = growth_rate(trace.time, trace.state[:, 0])
        words.append("grows" if growth > 0 else "decays")
    return words


def before_reaction() -> list[float]:
    """RT-02: distance [m] moved during a controller cycle and during the latency."""
    return list(penetration(speed=1.5, cycle=4e-3, latency=20e-3))


def late_spring() -> float:
    """RT-03: relative error of the table's spring work against quadrature."""
    delay = 7e-3
    return abs(
        work_by_quadrature(k=3e3, c=0.0, delay=delay, **SINE) / spring_work(k=3e3, delay=delay, **SINE) - 1
    )


def late_damper() -> float:
    """RT-04: relative error of the table's damper work against quadrature."""
    delay = 7e-3
    return abs(
        work_by_quadrature(k=0.0, c=20.0, delay=delay, **SINE) / damper_work(c=20.0, delay=delay, **SINE) - 1
    )


def least_damping() -> list[float]:
    """RT-05: minimum damping over k times delay, at omega_0 delay of 0.316 and 0.2."""
    pairs = ((1.0, 1000.0, 0.01), (10.0, 1000.0, 0.02))
    return [damping_bounds(m=m, k=k, delay=d).lower / (k * d) for m, k, d in pairs]


def without_delay() -> list[float]:
    """RT-06: work of spring and damper without delay, over pi c omega A^2."""
    unit = np.pi * 20.0 * SINE["omega"] * SINE["amplitude"] ** 2
    return [
        work_by_quadrature(k=3e3, c=0.0, delay=0.0, **SINE) / unit,
        work_by_quadrature(k=0.0, c=20.0, delay=0.0, **SINE) / unit,
    ]


def stability_map() -> list[float]:
    """Pairs of sec. 4.15: minimum and maximum damping of five, and maximum delays of coupling and ribs."""
    pairs = ((1.0, 1e3, 0.01), (10.0, 1e3, 0.02), (6.5, 5e3, 0.02), (17.91, 2.5e3, 0.02), (17.91, 5e4, 0.011))
    bounds = [b for m, k, d in pairs for b in damping_bounds(m=m, k=k, delay=d)]
    return [*bounds, max_stable_delay(m=17.91, k=5e4), max_stable_delay(m=17.91, k=2.5e3)]


def loads() -> list[float]:
    """DV-01 to DV-05: dynamic pressure, drogue drag, hose and lump mass, EI, aligned hose drag."""
    q = 0.5 * 0.525 * 200**2
    mass, force, aligned = map(np.asarray, _in_stream())
    return [
        q,
        float(force[0]),
        float(mass[:-1].sum()),
        float(mass[0]),
        BENDING,
        float(aligned[0, 0]),
    ]


@eqx.filter_jit
def _in_stream():
    """Return masses of hose and drogue, the drag of the drogue, and the drag of a hose aligned with the stream."""
    stream = jnp.array([200.0, 0.0, 0.0])
    chain, along = DROGUE.attach_to(hose()), jnp.eye(3)[:, :1]
    aligned = DRAG.forces(along, jnp.array([LENGTH]), stream[:, None], 0.525)
    return chain.masses(chain.lengths()[0])[1], DROGUE.force(stream, 0.525), aligned


def tow_tension() -> list[float]:
    """DV-06: tension at the tow point with 19, 38 and 76 links [N]."""
    return [float(trimmed(n)["tension"][0]) for n in (19, 38, 76)]


def end_tensions() -> list[float]:
    """DV-07: tensions of the last hose link and of the drogue link [N]."""
    return trimmed()["tension"][-2:].tolist()


def places() -> list[float]:
    """DV-08: ball joint and centre of mass, x and depth [m]."""
    return [
        value
        for name in ("ball_joint", "centre")
        for value in (trimmed()[name] * [1, 1, -1])[[0, 2]].tolist()
    ]


def profile() -> list[float]:
    """Trim profile: angles below the horizontal [deg], then tensions [N], of links 1, 5, 10, 15, 19, 20."""
    rows = [0, 4, 9, 14, 18, 19]
    flight = trimmed()
    return [*np.degrees(-flight["angles"][0])[rows].tolist(), *flight["tension"][rows].tolist()]


def waves() -> list[float]:
    """DV-09: slowest and fastest wave [m/s], time along the hose [s]."""
    flight = trimmed()
    return [float(flight["wave_speed"].min()), float(flight["wave_speed"].max()), float(flight["wave_time"])]


def wave_time() -> float:
    """RT-23: time of a wave along the hose [s], by its tension in steady flight."""
    return float(trimmed()["wave_time"])


def modes() -> list[float]:
    """DV-10: the first seven planar frequencies [Hz], then three damping ratios."""
    modes = flight_modes(drogue_hose())
    return [*modes.frequencies[:7].tolist(), *modes.damping[:3].tolist()]


def _no_force(t):
    return {"force": jnp.zeros(6)}


class Forced(System):
    """Flow under a force that is a function of time; a step holds its value in the middle."""

    flow: Flow
    method: Method
    force: Callable[[Any], dict[str, jax.Array]] = eqx.field(static=True)

    def start(self):
        x = self.flow.init()
        return (x, self.method.init(self.flow, x)), self.flow.output(0.0, x, self.force(0.0))

    def step(self, t, h, x):
        x = self.method.advance(self.flow, t, h, x[0], self.force(t + h / 2), x[1])
        return x, self.flow.output(t + h, x[0], self.force(t + h))


@eqx.filter_jit
def march(flow: Flow, force, h: float, steps: int, names: tuple[str, ...]) -> dict[str, jax.Array]:
    """Integrate a flow with RK4 under a force that is a function of time; return its outputs after every step."""
    system = Forced(flow, with_stage_loop(RK4()), force=force)
    return run_samples(system, h, steps, Selected(names))[1]


def _pulse_force(t):
    on = (t >= 0.2) & (t <= 0.28)
    push = jnp.where(on, 300.0 * jnp.sin(jnp.pi * (t - 0.2) / 0.08), 0.0)
    return {"force": jnp.zeros(6).at[4].set(push)}


@cache
def pulsed() -> dict[str, np.ndarray]:
    """Response of the drogue to a moment pulse, 4 s."""
    records = march(
        drogue_hose(reel=FixedReel()), _pulse_force, 2.5e-4, 16000, ("drogue_attitude_change", "tow_tension")
    )
    return {name: np.asarray(value) for name, value in records.items()} | {
        "time": 2.5e-4 * np.arange(1, 16001)
    }


def pulse() -> list[float]:
    """DV-11: response to the moment pulse.

    Attitude peak [deg], its time [s] and rebound [deg]; first change of the tow tension by 10 N after the pulse: time
    [s], and largest change [N]; second motion of the drogue above 0.1 deg: time [s] and largest angle [deg].
    """
    run = pulsed()
    t, tip = run["time"], np.degrees(-run["drogue_attitude_change"][:, 0])  # nose up
    change = np.abs(run["tow_tension"] - run["tow_tension"][0])
    later, last = t > 0.6, t > 1.9
    return [
        float(tip.min()),
        float(t[tip.argmin()]),
        float(tip[t < 1].max()),
        float(t[later][np.argmax(change[later] > 10)]),
        float(change[later].max()),
        float(t[last][np.argmax(np.abs(tip[last]) > 0.1)]),
        float(np.abs(tip[last]).max()),
    ]


def swing() -> list[float]:
    """DV-12: drogue as a pendulum: inertia, frequency with drag and moment, with the moment alone, damping."""
    stream = jnp.array([200.0, 0.0, 0.0])
    J = float(DROGUE.mass * DROGUE.arm**2)
    drag = float(DROGUE.force(stream, 0.525)[0]) * float(DROGUE.arm)
    k = float(DROGUE.aero_moment)
    w = np.sqrt((k + drag) / J)
    return [J, float(w / (2 * np.pi)), float(np.sqrt(k / J) / (2 * np.pi)), float(10.0 / (2 * J * w))]


def probe_timing() -> list[float]:
    """DV-13 and DV-14: duration and time of contact at 1, 0.25, 0.5 and 0.75 m/s [s]."""
    profiles = [SpeedProfile(speed=v) for v in (1.0, 0.25, 0.5, 0.75)]
    return [float(v) for p in profiles for v in (p.duration, p.time_at(0.18))]


def reel_peaks() -> list[float]:
    """DV-15: largest commanded speed and acceleration of the reel [m/s, m/s^2]."""
    commands = np.asarray(
        jax.jit(jax.vmap(lambda t: TOLD.reeled_length(t, 0.0, LENGTH)))(np.linspace(0.5, 5.5, 20001))
    )
    return commands[:, 1:].max(axis=0).tolist()


REEL_MODELS = {"A": "reel-in", "B": "reel-in-duct", "C": "reel-in-duct-fine"}  # tests


def reeled(model: str) -> dict[str, np.ndarray]:
    """Return the signals of the reel-in with model A, B or C, every 5 ms after the start."""
    data = recorded_run(f"refuelling/{REEL_MODELS[model]}", {"rate": "200 Hz"}).data.isel(time=slice(1, None))
    return {str(name): array.values for name, array in data.items()}


def reel_attitudes() -> list[float]:
    """DV-21: attitude of the drogue at 5.5 s, nose up, A, B, C [deg]."""
    return [float(np.degrees(-reeled(model)["drogue_attitude_change"][-1, 0])) for model in REEL_MODELS]


def reel_disturbed() -> list[bool]:
    """RT-45: the tracking error of the drum is below 0.3 m; the speeds of B and C are rougher than those of A."""

    def rough(model):
        return float(np.abs(np.diff(reeled(model)["reel_speed"], 3)).max())

    smooth, errors = rough("A"), [np.abs(reeled(model)["reel_error"]).max() for model in REEL_MODELS]
    return [bool(max(errors) < 0.3), rough("B") > 2 * smooth, rough("C") > 2 * smooth]


def reel_order() -> list[bool]:
    """RT-46: A lags B and C by more than 2 m at the end; z differs less."""
    a, b, c = (reeled(model) for model in REEL_MODELS)
    x = [r["displacement"][-1, 0] for r in (a, b, c)]
    z = [r["displacement"][-1, 2] for r in (a, b, c)]
    return [
        bool(x[0] < min(x[1], x[2]) - 2),
        bool(abs(z[0] - z[1]) < abs(x[0] - x[1]) / 2),
    ]


def reel_alike() -> bool:
    """RT-46: B and C end within 0.5 m of each other."""
    b, c = (float(reeled(model)["displacement"][-1, 0]) for model in ("B", "C"))
    return abs(b - c) < 0.5


def _outside(place: np.ndarray) -> np.ndarray:
    """Return the nodes (3, n) of a hose outside the duct, the tow point first."""
    return np.concatenate([np.zeros((3, 1)), place[:, place[0] < 0]], axis=1)


def slack_first() -> list[bool]:
    """RT-47: at a quarter of the drogue's largest speed less than a third of the slack remains; A, B, C."""
    slackens = []
    for model in REEL_MODELS:
        run = reeled(model)
        ways = [_outside(place) for place in run["hose_position"]]
        slack = [np.linalg.norm(np.diff(w), axis=0).sum() - np.linalg.norm(w[:, -1]) for w in ways]
        speed = np.linalg.norm(run["velocity"], axis=1)
        begun = int(np.argmax(speed > 0.25 * speed.max()))
        slackens.append(bool(slack[begun] < slack[0] / 3))
    return slackens


def wider_arch() -> list[bool]:
    """RT-47: at the end the hose of A extends further in x than the hoses of B and C."""
    a, b, c = (np.ptp(_outside(reeled(m)["hose_position"][-1])[0]) for m in REEL_MODELS)
    return [bool(a > b), bool(a > c)]


def springs_show() -> list[bool]:
    """RT-47: at 2.0 s a link completely in the duct is bent against the next by more than 10 degrees; B, C."""
    shown_by_bending = []
    for model in ("B", "C"):
        x, _, z = reeled(model)["hose_position"][round(2.0 / 5e-3) - 1]
        bend = np.abs(np.degrees(np.diff(np.arctan2(np.diff(z), -np.diff(x)))))
        inside = x[1:-1] > 0
        shown_by_bending.append(bool(np.any(bend[inside] > 10)))
    return shown_by_bending
