"""Which rope, with several aims at once: light, quick to settle, clear of the wake, strong.

Diameter and length of UHMWPE rope vary continuously between the entries of the catalogue; mass by length and strength
are interpolated in the diameter. Every candidate is simulated as it settles behind the aircraft, as a rope of
inextensible links; batches are split over threads, each of which runs the same compiled program on a core of its own.
The source leaves this as future work [Mastrogiuseppe 2023, sec. 5.2]; requirements are its own (section 4.2): strength
four times 125 kN, depth beyond the wake.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import PointDevice, TowedLinks
from dovetail.air.settling_measures import settling
from dovetail.campaign.pareto import pareto_search
from dovetail.core import RK4
from dovetail.mechanics.chain import LinkChain, ManyLinks
from dovetail.mechanics.chain.link_chain_batch import LANES
from dovetail.studies.capture.assembly import catalogue

STEP, EVERY = 1e-2, 5  # [s], steps between records
REQUIRED = 4 * 125e3  # [N]
CLEAR_DEPTH = 50.0  # [m] where the wake is neglected
MODULUS = 13.8e9  # [Pa] of UHMWPE rope, as in the catalogue
DEVICE = PointDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5)  # assumed, as everywhere in the study
AIMS = ("mass [kg]", "settling time [s]", "minus safety factor", "minus depth [m]")
LOW, HIGH = np.array([16e-3, 150.0]), np.array([32e-3, 350.0])  # [m] diameter, length


def material(diameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mass by length [kg/m] and breaking strength [N] of UHMWPE rope, interpolated in the catalogue."""
    entries = sorted(
        (e["diameter"], e["mass_per_length"], e["strength"])
        for name, e in catalogue().items()
        if name.startswith("uhmwpe")
    )
    d, mass, strength = (np.array(column) for column in zip(*entries, strict=True))
    # by the square of the diameter, as both go with the section
    return np.interp(diameter**2, d**2, mass), np.interp(diameter**2, d**2, strength)


def sweep(diameter: Any, density: Any, length: Any, links: int) -> TowedLinks:
    """Ropes of diameters [m], masses by length [kg/m] and lengths [m], (k,) each, behind the aircraft of the study."""
    mass = density * length
    ropes = LinkChain(
        n=links,
        length=length,
        mass=mass,
        tip_mass=DEVICE.mass,
        bending=MODULUS * jnp.pi * diameter**4 / 64,
        joint_damping=10.0 * mass,
    )
    return TowedLinks(ropes=ManyLinks.of(ropes), device=DEVICE, airspeed=170.0, density=0.7)


@partial(jax.jit, static_argnums=(3, 4))
def _depths(diameter, density, length, links, number):
    """Depth of each tip (records, k) [m]."""
    system = sweep(diameter, density, length, links)

    def record(x, _):
        x = jax.lax.fori_loop(0, EVERY, lambda i, x: RK4().step(system, 0.0, STEP, x, None, ())[0], x)
        return x, x["position"][-1, 1]

    return jax.lax.scan(record, system.init(), None, length=number)[1]


def settle_batch(
    points: np.ndarray, *, links: int = 10, duration: float = 80.0, workers: int = 1
) -> np.ndarray:
    """Depths (candidates, records) of ropes of diameters and lengths (candidates, 2), on so many threads.

    Candidates are computed in parts that are vectors to the processor, see `ManyLinks`.
    """
    number = round(duration / (STEP * EVERY))
    points = np.asarray(points, float)
    density, _ = material(points[:, 0])
    size = min(LANES, -(-len(points) // workers))
    index = [np.arange(k, k + size) % len(points) for k in range(0, len(points), size)]  # all of one size

    def part(i):
        return np.asarray(_depths(points[i, 0], density[i], points[i, 1], links, number)).T

    with ThreadPoolExecutor(workers) as pool:
        found = np.concatenate(list(pool.map(part, index)))
    return found[: len(points)]


def costs(
    points: np.ndarray, *, links: int = 10, duration: float = 80.0, workers: int = 1, allowed: bool = True
) -> np.ndarray:
    """The aims (candidates, 4) of ropes; NaN for one that is too weak or settles in the wake, if `allowed` matters."""
    depth = settle_batch(points, links=links, duration=duration, workers=workers)
    t = np.arange(1, depth.shape[1] + 1) * STEP * EVERY
    found = [settling(t, y) for y in depth]
    density, strength = material(np.asarray(points)[:, 0])
    table = np.column_stack(
        [
            density * points[:, 1],
            [f.settling_time for f in found],
            -strength / REQUIRED * 4,
            [-f.final for f in found],
        ]
    )
    if allowed:
        table[(strength < REQUIRED) | (-table[:, 3] < CLEAR_DEPTH)] = np.nan
    return table


def optimise(
    *, batch: int = 48, rounds: int = 3, links: int = 10, duration: float = 80.0, workers: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Ropes (diameter, length) that no other beats in every aim, and their aims."""
    return pareto_search(
        partial(costs, links=links, duration=duration, workers=workers), LOW, HIGH, batch=batch, rounds=rounds
    )
