"""Selection of a rope with several objectives: low mass, short settling time, depth below the wake, strength.

Diameter and length of UHMWPE rope vary continuously between the entries of the catalogue; mass by length and strength
are interpolated in the diameter. Each candidate is a rope of inextensible links that settles behind the aircraft.
Batches are distributed over threads, which run the same compiled program on one core each. The source leaves this as
future work [Mastrogiuseppe 2023, sec. 5.2]. The requirements are those of its section 4.2: strength four times 125 kN,
depth below the wake.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import PointDevice, TowedLinkBatch
from dovetail.air.settling_measures import settling_measures
from dovetail.campaign.pareto import pareto_search
from dovetail.core import RK4
from dovetail.core.advance import run_samples
from dovetail.core.keep import Selected
from dovetail.core.system import FlowSystem
from dovetail.mechanics.chain import LinkChain, LinkChainBatch
from dovetail.mechanics.chain.link_chain_batch import LANES
from dovetail.studies.capture.assembly import catalogue

STEP, EVERY = 1e-2, 5  # [s], steps between records
REQUIRED = 4 * 125e3  # [N]
CLEAR_DEPTH = 50.0  # [m] below which the wake is neglected
MODULUS = 13.8e9  # [Pa] of UHMWPE rope, as in the catalogue
DEVICE = PointDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5)  # assumed, as in the whole study
OBJECTIVES = ("mass [kg]", "settling time [s]", "minus safety factor", "minus depth [m]")
LOW, HIGH = np.array([16e-3, 150.0]), np.array([32e-3, 350.0])  # [m] diameter, length


def material(diameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mass per length [kg/m] and breaking strength [N] of UHMWPE rope, interpolated in the catalogue."""
    entries = sorted(
        (e["diameter"], e["mass_per_length"], e["breaking_strength"])
        for name, e in catalogue().items()
        if name.startswith("uhmwpe")
    )
    d, mass, strength = (np.array(column) for column in zip(*entries, strict=True))
    # linear in the square of the diameter: both are proportional to the cross-section
    return np.interp(diameter**2, d**2, mass), np.interp(diameter**2, d**2, strength)


def sweep(diameter: Any, density: Any, length: Any, links: int) -> TowedLinkBatch:
    """Return ropes with diameters [m], masses per length [kg/m] and lengths [m], (k,) each, behind the aircraft."""
    mass = density * length
    ropes = LinkChain(
        n=links,
        length=length,
        mass=mass,
        tip_mass=DEVICE.mass,
        bending=MODULUS * jnp.pi * diameter**4 / 64,
        joint_damping=10.0 * mass,
    )
    return TowedLinkBatch(ropes=LinkChainBatch.from_chains(ropes), device=DEVICE, airspeed=170.0, density=0.7)


@partial(jax.jit, static_argnums=(3, 4))
def _depths(diameter, density, length, links, number):
    """Depth of each tip (records, k) [m]."""
    system = FlowSystem(sweep(diameter, density, length, links), RK4(), EVERY)
    return -run_samples(system, STEP * EVERY, number, Selected(("displacement",)))[1]["displacement"][:, 2]


def settle_batch(
    points: np.ndarray, *, links: int = 10, duration: float = 80.0, workers: int = 1
) -> np.ndarray:
    """Return depths (candidates, records) of ropes with diameters and lengths (candidates, 2).

    `workers` is the number of threads. Candidates are computed in batches of the vector width, see `LinkChainBatch`.
    """
    number = round(duration / (STEP * EVERY))
    points = np.asarray(points, float)
    density, _ = material(points[:, 0])
    size = min(LANES, -(-len(points) // workers))
    index = [
        np.arange(k, k + size) % len(points) for k in range(0, len(points), size)
    ]  # all of the same size

    def part(i):
        return np.asarray(_depths(points[i, 0], density[i], points[i, 1], links, number)).T

    with ThreadPoolExecutor(workers) as pool:
        depths = np.concatenate(list(pool.map(part, index)))
    return depths[: len(points)]


def costs(
    points: np.ndarray, *, links: int = 10, duration: float = 80.0, workers: int = 1, allowed: bool = True
) -> np.ndarray:
    """Return the objectives (candidates, 4); with `allowed`, NaN for ropes that are too weak or settle in the wake."""
    depth = settle_batch(points, links=links, duration=duration, workers=workers)
    t = np.arange(1, depth.shape[1] + 1) * STEP * EVERY
    settled = [settling_measures(t, y) for y in depth]
    density, strength = material(np.asarray(points)[:, 0])
    table = np.column_stack(
        [
            density * points[:, 1],
            [s.settling_time for s in settled],
            -strength / REQUIRED * 4,
            [-s.final for s in settled],
        ]
    )
    if allowed:
        table[(strength < REQUIRED) | (-table[:, 3] < CLEAR_DEPTH)] = np.nan
    return table


def optimise(
    *, batch: int = 48, rounds: int = 3, links: int = 10, duration: float = 80.0, workers: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return the Pareto-optimal ropes (diameter, length) and their objectives."""
    return pareto_search(
        partial(costs, links=links, duration=duration, workers=workers), LOW, HIGH, batch=batch, rounds=rounds
    )
