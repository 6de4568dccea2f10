r"""Unit quaternions `wxyz`: rotations without singular attitudes.

.. math:: q = (\cos\tfrac\theta2,\; \sin\tfrac\theta2\, n), \qquad
          \dot q_{WB} = \tfrac12\, q_{WB}\circ(0,\; \omega_{WB,B})

`q` and `-q` are the same rotation. Integration slowly changes the norm. `rotate` and `to_matrix` divide by the
squared norm, so they are correct for any norm, and `rate` pulls the norm back to one without an effect on the
rotation. Functions accept leading batch dimensions.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def identity() -> jax.Array:
    """Return the quaternion without rotation."""
    return jnp.array([1.0, 0.0, 0.0, 0.0])


def multiply(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the product q_WC = q_WB o q_BC: the rotation `b` in the frame of the rotation `a`."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    w = aw * bw - jnp.sum(av * bv, -1, keepdims=True)
    return jnp.concatenate([w, aw * bv + bw * av + jnp.cross(av, bv)], -1)


def conjugate(q: jax.Array) -> jax.Array:
    """Return the inverse of a unit quaternion."""
    return q * jnp.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: jax.Array) -> jax.Array:
    """Return the unit quaternion of the same rotation."""
    return q / jnp.sqrt(jnp.sum(q * q, -1, keepdims=True))


def rotate(q_WB: jax.Array, v_B: jax.Array) -> jax.Array:
    """Return a vector given in B, expressed in W."""
    w, u = q_WB[..., :1], q_WB[..., 1:]
    t = 2 * jnp.cross(u, v_B)
    return v_B + (w * t + jnp.cross(u, t)) / jnp.sum(q_WB * q_WB, -1, keepdims=True)


def to_matrix(q: jax.Array) -> jax.Array:
    """Return the rotation matrix of a quaternion of any norm above zero."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    s = 2 / (w * w + x * x + y * y + z * z)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    return jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def from_matrix(R: jax.Array) -> jax.Array:
    """Return the unit quaternion of a rotation matrix, with its largest entry positive.

    Each row of 4 q q^T is q times one of its entries; the row of the largest entry has no cancellation
    [Shepperd 1978].
    """
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, xz, yz = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    rows = [
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, xz],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, xz, yz, 1 - xx - yy + zz],
    ]
    outer = jnp.stack([jnp.stack(row, -1) for row in rows], -2)
    largest = jnp.argmax(jnp.diagonal(outer, axis1=-2, axis2=-1), -1)
    row = jnp.take_along_axis(outer, largest[..., None, None], -2)[..., 0, :]
    return normalise(row)


def from_vector(phi: jax.Array) -> jax.Array:
    """Return the quaternion of a rotation vector [rad] (exponential map)."""
    square = jnp.sum(phi * phi, -1, keepdims=True)
    small = square < 1e-4
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    w = jnp.where(small, 1 - square / 8 * (1 - square / 48), jnp.cos(angle / 2))
    s = jnp.where(small, (1 - square / 24 * (1 - square / 80)) / 2, jnp.sin(angle / 2) / angle)
    return normalise(jnp.concatenate([w, s * phi], -1))


def to_vector(q: jax.Array) -> jax.Array:
    """Return the shortest rotation vector [rad] (logarithm)."""
    q = normalise(jnp.where(q[..., :1] < 0, -q, q))
    w, v = q[..., :1], q[..., 1:]
    square = jnp.sum(v * v, -1, keepdims=True)
    small = square < 1e-5
    s = jnp.sqrt(jnp.where(small, 1.0, square))
    # arcsin(s)/s = 1 + s^2/6 + 3 s^4/40 + 5 s^6/112; the next term is 3e-22 there
    series = 1 + square * (1 / 6 + square * (3 / 40 + square * (5 / 112)))
    return 2 * jnp.where(small, series, jnp.arctan2(s, w) / s) * v


def rate(q_WB: jax.Array, w_WB_B: jax.Array, restore: float = 1.0) -> jax.Array:
    r"""Return the rate of `q_WB` for an angular velocity in B [rad/s].

    The second term, :math:`r\,(1-|q|^2)\,q` with r in 1/s, only corrects the norm.
    """
    spin = jnp.concatenate([jnp.zeros_like(w_WB_B[..., :1]), w_WB_B], -1)
    return multiply(q_WB, spin) / 2 + restore * (1 - jnp.sum(q_WB * q_WB, -1, keepdims=True)) * q_WB
