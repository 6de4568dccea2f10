r"""Link directions by two global angles, their tangents, and the published bending law in two planes.

.. math:: u = -(\cos\psi\sin\varphi,\ \sin\psi,\ \cos\psi\cos\varphi)

in axes x forward, y to port, z up: :math:`\varphi` is 0 hanging and :math:`\pi/2` trailing, :math:`\psi` is the
inclination to starboard. Singular at :math:`\psi = \pm\pi/2`. Source: [Mastrogiuseppe 2023, sec. 3.2], whose axes are
downstream, down and to starboard.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.mechanics.chain.base import dot


def direction(phi: Float[Array, "*n"], psi: Float[Array, "*n"]) -> Float[Array, " 3 *n"]:
    """Return unit vectors (3, n)."""
    return -jnp.stack([jnp.cos(psi) * jnp.sin(phi), jnp.sin(psi), jnp.cos(psi) * jnp.cos(phi)])


def tangents(
    phi: Float[Array, "*n"], psi: Float[Array, "*n"]
) -> tuple[Float[Array, " 3 *n"], Float[Array, " 3 *n"]]:
    """Return the derivatives of the directions by phi and by psi, (3, n) each."""
    cf, sf, cp, sp = jnp.cos(phi), jnp.sin(phi), jnp.cos(psi), jnp.sin(psi)
    return jnp.stack([-cp * cf, jnp.zeros_like(phi), cp * sf]), jnp.stack([sp * sf, -cp, sp * cf])


def bias(
    phi: Float[Array, "*n"],
    psi: Float[Array, "*n"],
    phi_rate: Float[Array, "*n"],
    psi_rate: Float[Array, "*n"],
) -> Float[Array, " 3 *n"]:
    """Return the second rate of the directions at constant angular rates, (3, n) [1/s^2]."""
    cf, sf, cp, sp = jnp.cos(phi), jnp.sin(phi), jnp.cos(psi), jnp.sin(psi)
    both, mixed = phi_rate**2 + psi_rate**2, 2 * phi_rate * psi_rate
    return jnp.stack([cp * sf * both + sp * cf * mixed, sp * psi_rate**2, cp * cf * both - sp * sf * mixed])


def angles(u: Float[Array, " 3 *n"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """Return the angles phi and psi of unit vectors (3, ...)."""
    return jnp.arctan2(-u[0], -u[2]), -jnp.arcsin(jnp.clip(u[1], -1.0, 1.0))


def angle_rates(
    phi: Float[Array, "*n"], psi: Float[Array, "*n"], u_rate: Float[Array, " 3 *n"]
) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """Return the rates of the angles from rates of the directions (3, ...) [1/s]; axial components have no effect."""
    e_phi, e_psi = tangents(phi, psi)
    return dot(e_phi, u_rate) / jnp.cos(psi) ** 2, dot(e_psi, u_rate)


def angle_accelerations(
    phi: Float[Array, "*n"],
    psi: Float[Array, "*n"],
    rates: tuple[Float[Array, "*n"], Float[Array, "*n"]],
    u_rate2: Float[Array, " 3 *n"],
) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    r"""Return the second rates of the angles from second rates of the directions (3, ...) [1/s^2].

    The tangents are orthogonal, so they decouple: :math:`\ddot\varphi = e_\varphi\cdot\ddot u/\cos^2\psi
    + 2\tan\psi\,\dot\varphi\dot\psi`, :math:`\ddot\psi = e_\psi\cdot\ddot u - \sin\psi\cos\psi\,\dot\varphi^2`.
    """
    e_phi, e_psi = tangents(phi, psi)
    c, s = jnp.cos(psi), jnp.sin(psi)
    phi_rate, psi_rate = rates
    return (
        dot(e_phi, u_rate2) / c**2 + 2 * s / c * phi_rate * psi_rate,
        dot(e_psi, u_rate2) - s * c * phi_rate**2,
    )


def joint_moment(theta: jax.Array | float, stiffness: jax.Array | float, l: jax.Array | float) -> jax.Array:
    r"""Return the moment [N m] of a joint bent by theta in one plane.

    :math:`M = -(2K/l)\tan(\theta/2)/\cos(\theta/2)`, from the curvature radius
    :math:`R = -(l/2)\cos(\theta/2)\cot(\theta/2)`; :math:`-K\theta/l` for small angles, unbounded at a fold.
    Source: [Mastrogiuseppe 2023, eqs 3.11 to 3.13].
    """
    return -2 * stiffness / l * jnp.tan(theta / 2) / jnp.cos(theta / 2)


def joint_energy(theta: jax.Array, stiffness: jax.Array, l: jax.Array) -> jax.Array:
    """Return the elastic energy [J] of `joint_moment`."""
    return 4 * stiffness / l * (1 / jnp.cos(theta / 2) - 1)
