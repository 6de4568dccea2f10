r"""Rotation matrices: exponential map, its inverse, and the cross-product matrix.

A rotation vector has the direction of the axis and the length of the angle [rad]. Rodrigues' formula

.. math:: \exp[\phi]_\times = 1 + \frac{\sin\theta}{\theta}[\phi]_\times
          + \frac{1-\cos\theta}{\theta^2}[\phi]_\times^2,\qquad \theta = |\phi|

is smooth in :math:`\phi` at zero. Near zero the two factors are computed from their series, so derivatives are exact
there too. All functions accept leading batch dimensions.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.mechanics.spatial import quaternion

_SMALL = 1e-4  # square of the angle below which the series with three terms is exact to rounding


def skew(v: jax.Array) -> jax.Array:
    """Return the cross-product matrix: `skew(a) @ b = a x b`."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    o = jnp.zeros_like(x)
    rows = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def unskew(m: jax.Array) -> jax.Array:
    """Return the vector whose `skew` is the antisymmetric part of `m`."""
    return jnp.stack(
        [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], -1
    ) * (1 / 2)


def exponential(phi: jax.Array) -> jax.Array:
    """Return the rotation matrix of a rotation vector [rad]."""
    square = jnp.sum(phi * phi, -1)
    small = square < _SMALL
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    a = jnp.where(small, 1 - square / 6 * (1 - square / 20), jnp.sin(angle) / angle)
    # 1 - cos loses digits at small angles, 2 sin^2 of the half does not
    b = jnp.where(small, (1 - square / 12 * (1 - square / 30)) / 2, 2 * jnp.sin(angle / 2) ** 2 / angle**2)
    k = skew(phi)
    return jnp.eye(3) + a[..., None, None] * k + b[..., None, None] * (k @ k)


def logarithm(R: jax.Array) -> jax.Array:
    """Return the shortest rotation vector [rad] of a rotation matrix; for half a turn, one of the two."""
    return quaternion.to_vector(quaternion.from_matrix(R))


def about_x(angle: jax.Array) -> jax.Array:
    """Return the rotation about x by an angle [rad]."""
    return _about(angle, 0)


def about_y(angle: jax.Array) -> jax.Array:
    """Return the rotation about y by an angle [rad]."""
    return _about(angle, 1)


def about_z(angle: jax.Array) -> jax.Array:
    """Return the rotation about z by an angle [rad]."""
    return _about(angle, 2)


def _about(angle: jax.Array, axis: int) -> jax.Array:
    angle = jnp.asarray(angle, float)
    k = skew(jnp.eye(3)[axis])
    c, s = jnp.cos(angle)[..., None, None], jnp.sin(angle)[..., None, None]
    return jnp.eye(3) + s * k + (1 - c) * (k @ k)
