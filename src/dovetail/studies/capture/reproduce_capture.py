"""Ropes behind the aircraft: settling, commands, number of rods, wake, the largest tension, the choice of a rope."""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import numpy as np

from dovetail.air import RampCommand, RigidDevice, TowedRope, VortexPair, WingedStage
from dovetail.air.aircraft import Accelerating
from dovetail.air.latching_device import PointDevice
from dovetail.air.settling_measures import SettlingMeasures, settling_measures
from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import FlowSystem
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.studies.capture.assembly import G, _march, capture_system, catalogue, march, rope

ROPES = (
    ("uhmwpe-16", 250.0),
    ("uhmwpe-24", 200.0),
    ("uhmwpe-24", 250.0),
    ("uhmwpe-24", 300.0),
    ("uhmwpe-32", 250.0),
    ("steel-24", 250.0),
    ("steel-32", 250.0),
)


DURATION = 120.0  # [s]
LENGTHS = (200.0, 250.0, 300.0)  # [m]
COMMAND = RampCommand(angle=[[0.1, 0.0], [0.0, 0.1]], start=[50.0, 70.0], ramp=10.0)  # pitch, then yaw


def _tip(system, t, x):
    return {"tip": system.loaded_chain.nodes(x["rope"]).tip[0]}


def fleet(systems: list[TowedRope], *, duration: float, h: float = 1e-2) -> list[np.ndarray]:
    """Tip positions of several systems of one form, (times, 3) each, run as one batch."""
    arrays = [eqx.filter(s, eqx.is_array) for s in systems]
    static = eqx.filter(systems[0], eqx.is_array, inverse=True)
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *arrays)
    return list(np.asarray(_run(batch, static, h, round(duration / h))))


@eqx.filter_jit
def _run(batch, static, h, number):
    def one(arrays):
        system = FlowSystem(eqx.combine(arrays, static), with_stage_loop(RK4()), shown=_tip)
        return _march(system, h, number)["tip"]

    return jax.vmap(one)(batch)


@cache
def settled() -> dict[tuple[str, float], SettlingMeasures]:
    """Settling measures of the seven ropes, without wake and commands."""
    tips = fleet([capture_system(rope(name, length=length)) for name, length in ROPES], duration=DURATION)
    t = np.arange(len(tips[0])) * 1e-2
    return {key: settling_measures(t, -tip[:, 2]) for key, tip in zip(ROPES, tips, strict=True)}


def settled_depth() -> float:
    """RT-27: depth of 24 mm, 250 m [m]."""
    return settled()[("uhmwpe-24", 250.0)].final


def settling_by_diameter() -> list[bool]:
    """RT-27b: whether depth and amplitude grow with the diameter and periods are within a tenth of each other."""
    measures = [settled()[(name, 250.0)] for name in ("uhmwpe-16", "uhmwpe-24", "uhmwpe-32")]
    periods = [f.period for f in measures]
    deeper = measures[0].final < measures[1].final < measures[2].final
    grows = measures[0].overshoot < measures[1].overshoot < measures[2].overshoot
    return [deeper, grows, max(periods) / min(periods) < 1.1]


def depth_of_steel() -> list[float]:
    """RT-28: depths of 24 and 32 mm steel [m]."""
    return [settled()[(name, 250.0)].final for name in ("steel-24", "steel-32")]


def steel_rings_longer() -> bool:
    """RT-28b: whether steel of 24 mm settles later than UHMWPE of 24 mm."""
    return bool(settled()[("steel-24", 250.0)].settling_time > settled()[("uhmwpe-24", 250.0)].settling_time)


def thick_steel_unstable() -> bool:
    """RT-28c: whether steel of 32 mm fails to settle within two minutes."""
    return bool(settled()[("steel-32", 250.0)].settling_time >= 0.99 * DURATION)


def settling_table() -> list[float]:
    """The reconstruction's own table: settled depth and first peak of the seven ropes, in turn."""
    return [value for key in ROPES for value in (settled()[key].final, settled()[key].peak)]


@cache
def commanded() -> dict[float, np.ndarray]:
    """Tips of three lengths under a pitch and a yaw ramp."""
    systems = [capture_system(rope(length=length), command=COMMAND) for length in LENGTHS]
    return dict(zip(LENGTHS, fleet(systems, duration=DURATION), strict=True))


def displacement_by_length() -> list[bool]:
    """RT-29: whether the lift of the pitch ramp, the side displacement, first peak and period grow with length."""
    tips = commanded()
    t = np.arange(len(tips[200.0])) * 1e-2
    up = [tip[6900, 2] - tip[4900, 2] for tip in tips.values()]
    side = [-tip[-1, 1] for tip in tips.values()]
    swing = [settling_measures(t[:4900], -tip[:4900, 2]) for tip in tips.values()]
    return [
        bool(np.all(np.diff(values) > 0))
        for values in (up, side, [s.overshoot for s in swing], [s.period for s in swing])
    ]


def rods_needed() -> list[float]:
    """RT-30: rms departure of the depth from that with 30 rods, for 5 and 20 rods [m]."""
    command = RampCommand(angle=[0.1, 0.0], start=50.0, ramp=10.0)

    def height(n):
        system = capture_system(rope(length=300.0, n=n), command=command)
        return march(system, None, None, h=5e-3, duration=90.0, shown=_tip, every=4)["tip"][:, 2]

    fine = height(30)
    return [float(np.sqrt(np.mean((height(n) - fine) ** 2))) for n in (5, 20)]


@cache
def commanded_in_wake() -> dict[float, np.ndarray]:
    """Return the same tips with the wake of the aircraft."""
    device = PointDevice(
        mass=150.0, drag_area=0.7909, trim_lift=171.5, lift_area=0.791, side_area=0.791, trim="dynamic"
    )
    systems = [
        capture_system(rope(length=x), device=device, wake=VortexPair(deficit=0.1), command=COMMAND)
        for x in LENGTHS
    ]
    return dict(zip(LENGTHS, fleet(systems, duration=DURATION), strict=True))


def swings_in_wake() -> list[bool]:
    """RT-32: commands at 300 m: whether the wake enlarges the first swing, and whether all swings stay within it."""
    still, wake = (-tips[300.0][:, 2] for tips in (commanded(), commanded_in_wake()))
    first = wake[:4900].max()
    return [bool(first > still[:4900].max()), bool(np.isfinite(wake).all() and wake.max() <= first)]


def least_in_wake() -> bool:
    """RT-32b: commands in the wake: whether the rope of 300 m spends the least time above 50 m."""
    above = [float(np.mean(tip[:, 2] > -50.0)) for tip in commanded_in_wake().values()]
    return bool(above[2] < min(above[:2]))


def ringing_in_wake() -> bool:
    """RT-31: whether 200 and 250 m ring longer than 300 m in the wake, with the rigid device."""
    device = RigidDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5, trim="dynamic")
    systems = [capture_system(rope(length=x), device=device, wake=VortexPair(deficit=0.1)) for x in LENGTHS]
    times = [
        settling_measures(np.arange(len(tip)) * 1e-2, -tip[:, 2]).settling_time
        for tip in fleet(systems, duration=150.0)
    ]
    return bool(min(times[:2]) > times[2])


@cache
def towing() -> np.ndarray:
    """Tension of the axial element with the stage in tow, every 10 ms for 60 s."""
    chain = RodChain(
        n=20,
        length=250.0,
        mass=82.0,
        stiffness=6.25e6,
        axial_damping=1.025e6,
        bending=225.0,
        joint_damping=820.0,
    )
    motion = Accelerating(value=(0.9366, 0.0, 0.0))
    system = TowedRope(chain=chain, device=WingedStage(mass=80e3), motion=motion, airflow="off")

    def shown(system, t, x):
        return {"tension": x["rope"]["q"][0] * 25e3}

    return march(system, None, None, h=1e-2, duration=60.0, shown=shown)["tension"]


def steady_tension() -> float:
    """RT-24: steady tension [N]: the mean over the last two periods."""
    return float(np.mean(towing()[-2240:]))


def largest_tension() -> float:
    """RT-25: largest tension [N]."""
    return float(towing().max())


def strength_choice() -> list[str]:
    """RT-26: ropes that bear four times 125 kN."""
    return sorted(name for name, entry in catalogue().items() if entry["breaking_strength"] >= 4 * 125e3)


def constant_velocity() -> float:
    """RT-33: largest difference of the rope's rates between rest and steady flight without air."""
    chain = rope()
    systems = [
        TowedRope(chain=chain, airflow="off", airspeed=v, initial_angles=(1.0, 0.2)) for v in (0.0, 170.0)
    ]
    rates = [np.asarray(_first_rates(s)) for s in systems]
    return float(np.abs(rates[0] - rates[1]).max())


_first_rates = eqx.filter_jit(lambda s: s.derivative(0.0, s.init(), None)["rope"]["rate"])


def mirror() -> float:
    """RT-37: largest departure of the mirrored rates from those of the mirrored loads."""
    chain = rope()
    q = np.random.default_rng(0).normal(size=41) * 0.3
    rate = np.random.default_rng(1).normal(size=41) * 0.1
    flip = np.r_[np.ones(21), -np.ones(20)]
    side = np.array([[1.0], [-1.0], [1.0]])
    force = np.zeros((3, 21))
    force[:, -1] = -1e3, -5e2, -2e2
    a = np.asarray(_pulled_rates(chain, q, rate, force))
    b = np.asarray(_pulled_rates(chain, q * flip, rate * flip, side * force))
    return float(np.abs(a - flip * b).max() / np.abs(a).max())


@eqx.filter_jit
def _pulled_rates(chain, q, rate, force):
    return chain.derivative(0.0, {"q": q, "rate": rate}, ChainLoads(field=G, node=force))["rate"]
