r"""A hose at rest in its stream: every link lies along the force that it carries.

.. math:: -n_k \parallel \sum_{i\ge k} Q_i(n)

by Newton's method on the sines between the two, from all links along the drogue's own pull: drag and bending depend
on the shape. What does not converge, or would have to push, is refused; under a JAX transformation NaN says so.
Modes are those of the equations about it; the time of a wave along the hose is :math:`\int ds/\sqrt{T/\rho_l}`.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ConvergenceError
from dovetail.core.linear import Modes, modes
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics.chain.base import dot, running
from dovetail.mechanics.hose import Hose, HoseMotion
from dovetail.mechanics.hose_air import HoseAir

FAR = np.full(3, -1e6)  # [m] where a receiver disturbs nothing
ROUNDS = 30
FARTHEST = 0.4  # [rad] that a link may turn in a round
BALANCED = 1e-9  # sine of the angle between link and force that counts as none; four rounds reach 1e-15


def still_forces(hose: Hose, air: HoseAir, m: HoseMotion, t=0.0, nozzle=FAR) -> jax.Array:
    """Forces (3, n) on the masses of a hose in its air, without contact."""
    middles = jnp.concatenate([0.5 * (m.r[:, 1:-1] + m.r[:, :-2]), m.r[:, -1:]], axis=1)
    stream, density = air.stream()
    return hose.forces(m, air.velocity(t, middles, nozzle), density, stream)


def trim_angles(hose: Hose, air: HoseAir) -> jax.Array:
    """Angles (2, n) of all links in steady flight.

    Raises
    ------
    ConvergenceError
        If there is none, or none was found.
    """
    angles, aside, along = _balanced(hose, air)
    steady = (aside <= BALANCED) & (along < 0)  # False for NaN
    if isinstance(steady, jax.core.Tracer):
        return jnp.where(steady, angles, jnp.nan)
    if not steady:
        found = f"a link lies {float(aside):.3g} rad beside its force" if along < 0 else "a link would push"
        raise ConvergenceError(
            f"hose: no steady flight found in {ROUNDS} rounds, {found}; each must lie within {BALANCED:g} rad "
            "of a pull. Do: check airspeed, drag and masses, or take a hose that bends less or is longer."
        )
    return angles


@eqx.filter_jit
def _balanced(hose: Hose, air: HoseAir) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Angles (2, n) by Newton's method; the largest sine left, and the largest share of a force along its link."""

    def unbalanced(angles):
        """Sines (2 n,) between links and the forces that they carry; and the cosines (n,), -1 where they pull."""
        angles = angles.reshape(2, -1)
        force = still_forces(hose, air, hose.motion(angles, jnp.zeros_like(angles)))
        carried = running(force, reverse=True)
        unit = carried / jnp.sqrt(dot(carried, carried))
        e_y, e_z = geometry.tangents(angles, jnp.ones(hose.n))
        sines = jnp.concatenate([dot(e_y, unit), dot(e_z, unit)])
        return sines, dot(geometry.direction(angles), unit)

    def improve(_, angles):
        sines, push, _ = jax.linearize(unbalanced, angles, has_aux=True)
        slope = jax.lax.map(push, jnp.eye(angles.size)).T  # column by column: compiles in less time
        turn = jnp.linalg.solve(slope, sines)
        return angles - turn * jnp.minimum(1.0, FARTHEST / jnp.max(jnp.abs(turn)))

    pull = geometry.angles_of(hose.aero_reference(*air.stream()))
    angles = jax.lax.fori_loop(0, ROUNDS, improve, jnp.repeat(pull, hose.n))
    sines, cosines = unbalanced(angles)
    return angles.reshape(2, -1), jnp.max(jnp.abs(sines)), jnp.max(cosines)


def trim_report(hose: Hose, air: HoseAir) -> dict[str, jax.Array]:
    """Shape and tension in steady flight, and the largest angular acceleration left."""
    return _report(hose, air, trim_angles(hose, air))  # type: ignore[no-any-return]


@eqx.filter_jit
def _report(hose: Hose, air: HoseAir, angles: jax.Array) -> dict[str, jax.Array]:
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
