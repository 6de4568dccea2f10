"""Which rope, with several aims at once: light, quick to settle, clear of the wake, strong.

Diameter and length of UHMWPE rope vary continuously between the entries of the catalogue; mass by length and strength
are interpolated in the diameter. Every candidate is simulated as it settles behind the aircraft; batches are split over
threads, each of which runs the same compiled program on a core of its own. The source leaves this as future work
[Mastrogiuseppe 2023, sec. 5.2]; requirements are its own (section 4.2): strength four times 125 kN, depth beyond the
wake.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.fleet import RopeFleet
from dovetail.air.settling import settling
from dovetail.campaign.pareto import pareto_search
from dovetail.core import RK4
from dovetail.core.methods.rolled import rolled
from dovetail.studies.capture.assembly import capture_system, catalogue, rope

STEP, EVERY = 1e-2, 5  # [s], steps between records
REQUIRED = 4 * 125e3  # [N]
CLEAR_DEPTH = 50.0  # [m] where the wake is neglected
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


@partial(jax.jit, static_argnums=(3, 4))
def _depths(diameter, density, length, rods, number):
    """Depth of the tip (candidates, records) [m]."""

    def one(d, mu, l):
        base = capture_system(rope(n=rods))
        fleet = RopeFleet(rope=base, diameter=d, mass_per_length=mu, length=l, strength=jnp.ones(()))
        system = fleet.candidate(d, mu, l)
        method = rolled(RK4())

        def record(x, _):
            x = jax.lax.fori_loop(0, EVERY, lambda i, x: method.step(system, 0.0, STEP, x, None, ())[0], x)
            return x, system.loaded_chain.nodes(x["rope"]).tip[0][1]

        return jax.lax.scan(record, system.init(), None, length=number)[1]

    return jax.vmap(one)(diameter, density, length)


def settle_batch(
    points: np.ndarray, *, rods: int = 10, duration: float = 80.0, workers: int = 1
) -> np.ndarray:
    """Depths (candidates, records) of ropes of diameters and lengths (candidates, 2), on so many threads."""
    number = round(duration / (STEP * EVERY))
    points = np.asarray(points, float)
    density, _ = material(points[:, 0])
    size = -(-len(points) // workers)
    index = [np.arange(k, k + size) % len(points) for k in range(0, len(points), size)]  # all of one size

    def part(i):
        return np.asarray(_depths(points[i, 0], density[i], points[i, 1], rods, number))

    with ThreadPoolExecutor(workers) as pool:
        found = np.concatenate(list(pool.map(part, index)))
    return found[: len(points)]


def costs(
    points: np.ndarray, *, rods: int = 10, duration: float = 80.0, workers: int = 1, allowed: bool = True
) -> np.ndarray:
    """The aims (candidates, 4) of ropes; NaN for one that is too weak or settles in the wake, if `allowed` matters."""
    depth = settle_batch(points, rods=rods, duration=duration, workers=workers)
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
    *, batch: int = 48, rounds: int = 3, rods: int = 10, duration: float = 80.0, workers: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Ropes (diameter, length) that no other beats in every aim, and their aims."""
    return pareto_search(
        partial(costs, rods=rods, duration=duration, workers=workers), LOW, HIGH, batch=batch, rounds=rounds
    )
