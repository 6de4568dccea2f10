r"""A hose at rest in its stream: every link lies along the force that it carries.

.. math:: -n_k \parallel \sum_{i\ge k} Q_i(n)

by fixed-point iteration, since drag depends on the shape. Converges in some ten rounds, as what depends on the
shape is small against the tension. Modes are those of the equations about it; the time of a wave along the hose is
:math:`\int ds/\sqrt{T/\rho_l}`.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.linear import Modes, modes
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics.chain.base import dot, running
from dovetail.mechanics.hose import Hose, HoseMotion
from dovetail.mechanics.hose_air import HoseAir

FAR = np.full(3, -1e6)  # [m] where a receiver disturbs nothing
ROUNDS = 120


def still_forces(hose: Hose, air: HoseAir, m: HoseMotion, t=0.0, nozzle=FAR) -> jax.Array:
    """Forces (3, n) on the masses of a hose in its air, without contact."""
    middles = jnp.concatenate([0.5 * (m.r[:, 1:-1] + m.r[:, :-2]), m.r[:, -1:]], axis=1)
    stream, density = air.stream()
    return hose.forces(m, air.velocity(t, middles, nozzle), density, stream)


def trim_angles(hose: Hose, air: HoseAir) -> jax.Array:
    """Angles (2, n) of all links in steady flight."""
    n = hose.n
    still = jnp.zeros((2, n))

    def improve(_, angles):
        force = still_forces(hose, air, hose.motion(angles, still))
        carried = running(force, reverse=True)
        new = -carried / jnp.sqrt(dot(carried, carried))
        mixed = 0.5 * (geometry.direction(angles) + new)
        return geometry.angles_of(mixed / jnp.sqrt(dot(mixed, mixed)))

    return jax.lax.fori_loop(0, ROUNDS, improve, jnp.full((2, n), 0.1).at[1].set(0.0))


def trim_report(hose: Hose, air: HoseAir) -> dict[str, jax.Array]:
    """Shape and tension in steady flight, and the largest angular acceleration left."""
    angles = trim_angles(hose, air)
    m = hose.motion(angles, jnp.zeros_like(angles))
    solved = hose.solve(m, still_forces(hose, air, m), (jnp.zeros(()), None))
    speed = jnp.sqrt(solved.tension[:-1] / hose.specific_mass)
    return {
        "angles": angles,
        "tension": solved.tension,
        "ball_joint": m.r[:, -2],
        "centre": m.r[:, -1],
        "residual": jnp.max(jnp.abs(solved.angles)),
        "wave_speed": speed,
        "wave_time": jnp.sum(m.l[:-1] / speed),
    }


@eqx.filter_jit
def _matrix(hose: Hose, air: HoseAir, planar: bool) -> jax.Array:
    angles = trim_angles(hose, air)
    size = hose.n if planar else 2 * hose.n

    def rate(x):
        put = (lambda a: jnp.stack([a, angles[1]])) if planar else (lambda a: a.reshape(2, -1))
        turn = (lambda a: jnp.stack([a, 0 * a])) if planar else (lambda a: a.reshape(2, -1))
        m = hose.motion(put(x[:size]), turn(x[size:]))
        solved = hose.solve(m, still_forces(hose, air, m), (jnp.zeros(()), None))
        second = solved.angles[0] if planar else solved.angles.ravel()
        return jnp.concatenate([x[size:], second])

    start = jnp.concatenate([angles[0] if planar else angles.ravel(), jnp.zeros(size)])
    return jax.jacfwd(rate)(start)


def hose_modes(hose: Hose, air: HoseAir, *, planar: bool = True) -> Modes:
    """Modes about steady flight, slowest first: those of the vertical plane, or all."""
    return modes(_matrix(hose, air, planar))
