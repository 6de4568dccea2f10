"""Stability of methods and step sizes: table 1 of the source, its statements on steps, and the underlying law."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import BDF2, RK4, DormandPrince8, Method, linearise
from dovetail.mechanics.chain.equilibrium import hanging_directions
from dovetail.studies.capture.assembly import (
    PULL,
    G,
    march,
    published_rope,
    survives,
    tip_and_stretch,
    tip_force,
)
from dovetail.studies.capture.reproduce import pulled

ROWS = ((10.0, 20), (10.0, 30), (100.0, 20), (100.0, 30))  # friction c [N m s/kg], number of rods
# method, step [s], how long it is watched [s]: failures show within ten seconds
COLUMNS = (
    (RK4(), 1e-2, 30.0),
    (RK4(), 1e-3, 20.0),
    (DormandPrince8(), 1e-2, 30.0),
    (DormandPrince8(), 1e-3, 20.0),
    (BDF2(tolerance=1e-7), 1e-2, 10.0),
    (BDF2(tolerance=1e-7), 1e-3, 5.0),
)
PUBLISHED = (
    (True, True, True, True, True, True),
    (False, True, True, True, True, True),
    (False, True, True, True, True, True),
    (False, False, False, True, True, True),
)


@cache
def table() -> tuple[tuple[bool, ...], ...]:
    """Return whether the run of each of the 24 cells reaches its end."""
    return tuple(tuple(holds(c, n, *column) for column in COLUMNS) for c, n in ROWS)


def holds(c: float, n: int, method: Method, h: float, duration: float) -> bool:
    """Return whether a method with step h stays bounded: one cell of the table."""
    chain = published_rope(n, bending=300.0, c=c)
    return survives(chain, chain.rest_state(0.0, np.pi / 4, 0.0), tip_force(n), method, h, duration)[1]


def table_agreement() -> int:
    """RT-15: number of the 24 cells in which the source is met."""
    return int(np.sum(np.array(table()) == np.array(PUBLISHED)))


def many_rods() -> list[bool]:
    """RT-16: whether 50 rods with c = 100 survive at 1 ms and at 0.1 ms, by the method of order eight."""
    chain = published_rope(50, bending=300.0, c=100.0)
    start, load = chain.rest_state(0.0, np.pi / 4, 0.0), tip_force(50)
    return [survives(chain, start, load, DormandPrince8(), h, 2.0)[1] for h in (1e-3, 1e-4)]


def friction_law() -> list[float]:
    """RT-17: fastest rate of the linear model over 48 c n^3 / L^2, for c = 10, n = 30 and c = 100, n = 20."""
    ratios = []
    for c, n in ((10.0, 30), (100.0, 20)):
        chain = published_rope(n, bending=300.0, c=c)
        hang = jax.jit(lambda c, f, n=n: c.rest_state_along(hanging_directions(n, c.mass, 0.0, G, f), G, f))
        x = hang(chain, jnp.asarray(PULL))
        fastest = np.abs(np.linalg.eigvals(linearise(chain, x, tip_force(n)).A)).max()
        ratios.append(float(fastest / (48 * c * n**3 / 250.0**2)))
    return ratios


def implicit_accuracy() -> float:
    """RT-35: rms distance of the tip by BDF2 at 10 ms to that by RK4 at 1 ms, 20 s [m]."""
    chain = published_rope(30, bending=300.0, c=100.0)
    run = march(
        chain,
        chain.rest_state(0.0, np.pi / 4, 0.0),
        tip_force(30),
        h=1e-2,
        duration=20.0,
        shown=tip_and_stretch,
        method=BDF2(tolerance=1e-7),
    )
    fine = pulled(30, 1e-3, 100.0)["tip"][:2001]
    return float(np.sqrt(np.mean(np.sum((run["tip"] - fine) ** 2, axis=1))))
