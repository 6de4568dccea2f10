"""Ropes, systems and runs of the study: parts of the library with its data."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import PointDevice, TowedRope
from dovetail.core import RK4, Method
from dovetail.core.advance import ALL_SAMPLES, advance_samples, begin
from dovetail.core.clock import Simulated, Stopping
from dovetail.core.keep import Rows, Selected
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.monitor import Monitor, MonitorState, NoMonitor
from dovetail.core.system import FlowSystem
from dovetail.mechanics.chain import ChainLoads, RodChain

G = jnp.array([0.0, 0.0, -9.81])
GRAVITY = ChainLoads(field=G)
PULL = np.array([-10e3, -10e3, 0.0])  # [N] on the tip: downstream and to starboard


@cache
def catalogue() -> dict[str, dict[str, Any]]:
    """Return the ropes of the tables of the source, by name."""
    text = resources.files("dovetail.studies.capture").joinpath("ropes.toml").read_text("utf-8")
    return tomllib.loads(text)


def rope(
    name: str = "uhmwpe-24", *, length: float = 250.0, n: int = 20, c: float = 10.0, c_k: float = 50.0
) -> RodChain:
    """Return a rope of the catalogue as a rod chain; c [N m s/kg] and c_k [N s/(m kg)] are per kg of rope."""
    entry = catalogue()[name]
    area, second = math.pi * entry["diameter"] ** 2 / 4, math.pi * entry["diameter"] ** 4 / 64
    mass, modulus = entry["mass_per_length"] * length, entry["modulus"]
    return RodChain(
        n=n,
        length=length,
        mass=mass,
        stiffness=modulus * area,
        axial_damping=c_k * mass * length,
        bending=modulus * second,
        joint_damping=c * mass,
    )


def published_rope(n: int, *, bending: float, c: float, c_k: float = 50.0) -> RodChain:
    """Return the rope of the verification tests of the source: 250 m, 80 kg, 25 kN/m."""
    return RodChain(
        n=n,
        length=250.0,
        mass=80.0,
        stiffness=25e3 * 250.0,
        axial_damping=80 * c_k * 250.0,
        bending=bending,
        joint_damping=80 * c,
    )


def hanging_rope(n: int, *, bending: float = 1.0, c: float = 0.01) -> RodChain:
    """Return the rope of the support test: 10 m, 10 kg."""
    return RodChain(
        n=n,
        length=10.0,
        mass=10.0,
        stiffness=250e3,
        axial_damping=5000.0,
        bending=bending,
        joint_damping=10 * c,
    )


def capture_system(chain: Any, **parts: Any) -> TowedRope:
    """Return the reconstruction REC-1: device of 150 kg with 8 kN drag at 170 m/s; all values are assumed."""
    device = parts.pop(
        "device", PointDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5, lift_area=0.791, side_area=0.791)
    )
    return TowedRope(chain=chain, device=device, density=0.7, airspeed=170.0, **parts)


@eqx.filter_jit
def _march(system: FlowSystem, h: float, number: int) -> dict[str, jax.Array]:
    """Record the signals at t = 0 and after each sample."""
    monitor, keep = NoMonitor(), Rows()
    now, first = begin(system, monitor, keep)
    clock = Simulated(h * system.substeps, number, precompute=False)
    _, _, records = advance_samples(system, clock, monitor, keep, now, number)
    return jax.tree.map(lambda a, b: jnp.concatenate([jnp.asarray(a)[None], b]), first, records)


def march(
    flow: Any,
    x: Any,
    u: Any,
    *,
    h: float,
    duration: float,
    shown: Any,
    method: Method | None = None,
    every: int = 1,
) -> dict[str, np.ndarray]:
    """Integrate a flow from x (default: its initial state); return times and records of `shown(flow, t, x)`."""
    number = round(duration / (h * every))
    system = FlowSystem(flow, with_stage_loop(method or RK4()), every, u, x, shown)
    records = _march(system, h, number)
    return {"time": np.arange(number + 1) * every * h} | {k: np.asarray(v) for k, v in records.items()}


class DivergenceMonitor(Monitor):
    """Ends a run that diverges."""

    max_rate: float = 1e4  # [rad/s] above this the run has diverged

    def start(self, shown):
        return NoMonitor().start(shown)

    def step(self, t, h, m, shown):
        fast = jnp.max(jnp.abs(shown["rate"]))
        ok = jnp.isfinite(fast) & (fast < self.max_rate)
        return MonitorState(jnp.where(ok, 0, 1), m.sample + 1), shown


@eqx.filter_jit
def _survives(system: FlowSystem, h: float, number: jax.Array) -> tuple[jax.Array, jax.Array]:
    clock, monitor, keep = Stopping(h, number), DivergenceMonitor(), Selected()
    now, _ = begin(system, monitor, keep)
    now, _, _ = advance_samples(system, clock, monitor, keep, now, ALL_SAMPLES)
    return now.k * h, now.monitor.code == 0


def _rate(flow, t, x):
    return {"rate": x["rate"]}


def survives(
    chain: RodChain, x: Any, u: ChainLoads, method: Method, h: float, duration: float
) -> tuple[float, bool]:
    """Return the time [s] until a run diverges, and whether it reaches its end."""
    system = FlowSystem(chain, with_stage_loop(method), 1, u, x, _rate)
    until, ok = _survives(system, h, jnp.asarray(round(duration / h)))
    return float(until), bool(ok)


def in_source_axes(r: np.ndarray) -> np.ndarray:
    """Return positions (..., 3) in the axes of the source: downstream, down, to starboard."""
    return -r[..., [0, 2, 1]]


def tip_force(n: int) -> ChainLoads:
    """Return gravity and `PULL` on the tip of n rods."""
    node = np.zeros((3, n + 1))
    node[:, -1] = PULL
    return ChainLoads(field=G, node=node)


def tip_and_stretch(flow, t, x):
    """Return tip position and stretch, for `march`."""
    return {"tip": flow.nodes(x).tip[0], "stretch": x["q"][0]}
