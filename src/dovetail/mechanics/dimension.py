r"""Operations that differ between plane (2-D) and space (3-D): rotations, cross products, number of components.

The dynamics use only these functions. In space the axes are forward, port, up and the attitude is a
unit quaternion `wxyz`. The plane has the axes port and up and one angle, the roll about the forward axis,
positive counter-clockwise in the front view [Schock 2020, sec. 2.2].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import quaternion
from dovetail.mechanics.spatial.rotation import skew

_UPRIGHT, _ACROSS = np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]])


class Plane:
    """Planar motion: two coordinates and one angle."""

    d, turns, attitude = 2, 1, 1
    axes = ("port", "up")

    def level(self) -> jax.Array:
        """Return the attitude without rotation."""
        return jnp.zeros(1)

    def rotation(self, attitude: jax.Array) -> jax.Array:
        """Return the rotation (2, 2) from body to world axes."""
        return jnp.cos(attitude[0]) * _UPRIGHT + jnp.sin(attitude[0]) * _ACROSS

    def attitude_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Return the rate of the attitude for an angular velocity in body axes."""
        return w

    def small_rotation(self, attitude: jax.Array, change: jax.Array) -> jax.Array:
        """Return the small rotation in body axes for a change of the attitude."""
        return change

    def attitude_change(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Return the change of the attitude for a small rotation in body axes."""
        return w

    def cross(self, w: jax.Array, r: jax.Array) -> jax.Array:
        """Return the cross product of an angular velocity (1,) and vectors (..., 2)."""
        return w[..., :1] * jnp.stack([-r[..., 1], r[..., 0]], -1)

    def moment(self, r: jax.Array, f: jax.Array) -> jax.Array:
        """Return the cross product of vectors (..., 2), a moment (..., 1)."""
        return (r[..., 0] * f[..., 1] - r[..., 1] * f[..., 0])[..., None]

    def spin(self, w: jax.Array, m: jax.Array) -> jax.Array:
        """Return the cross product of angular velocity and moment vectors: zero in the plane."""
        return jnp.zeros_like(m)

    def lever(self, r: jax.Array) -> jax.Array:
        """Return the matrix (..., 2, 1) of w cross r."""
        return jnp.stack([-r[..., 1], r[..., 0]], -1)[..., None]

    def to_spatial(self, v: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return a planar velocity and angular velocity as vectors in space (forward, port, up)."""
        return jnp.stack([jnp.zeros_like(v[0]), v[0], v[1]]), jnp.stack([w[0], 0 * w[0], 0 * w[0]])

    def from_spatial(self, force: jax.Array, moment: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the planar components of a force and a moment in space."""
        return force[1:], moment[:1]


class Space:
    """Spatial motion: three coordinates and a quaternion."""

    d, turns, attitude = 3, 3, 4
    axes = ("forward", "port", "up")

    def level(self) -> jax.Array:
        """Return the attitude without rotation."""
        return quaternion.identity()

    def rotation(self, attitude: jax.Array) -> jax.Array:
        """Return the rotation (3, 3) from body to world axes."""
        return quaternion.to_matrix(attitude)

    def attitude_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Return the rate of the attitude for an angular velocity in body axes, with norm correction."""
        return quaternion.rate(attitude, w)

    def small_rotation(self, attitude: jax.Array, change: jax.Array) -> jax.Array:
        """Return the small rotation in body axes for a change of the attitude."""
        return 2 * quaternion.multiply(quaternion.conjugate(attitude), change)[1:]

    def attitude_change(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Return the change of the attitude for a small rotation in body axes."""
        return quaternion.multiply(attitude, jnp.concatenate([jnp.zeros(1), w])) / 2

    def cross(self, w: jax.Array, r: jax.Array) -> jax.Array:
        """Return the cross product of an angular velocity (3,) and vectors (..., 3)."""
        return jnp.cross(jnp.broadcast_to(w, r.shape), r)

    def moment(self, r: jax.Array, f: jax.Array) -> jax.Array:
        """Return the cross product of vectors."""
        return jnp.cross(r, f)

    def spin(self, w: jax.Array, m: jax.Array) -> jax.Array:
        """Return the cross product of angular velocity and moment vectors (..., 3)."""
        return jnp.cross(jnp.broadcast_to(w, m.shape), m)

    def lever(self, r: jax.Array) -> jax.Array:
        """Return the matrix (..., 3, 3) of w cross r."""
        return -skew(r)

    def to_spatial(self, v: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return both vectors unchanged."""
        return v, w

    def from_spatial(self, force: jax.Array, moment: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return both vectors unchanged, all components act."""
        return force, moment


PLANE, SPACE = Plane(), Space()
Dimension = Plane | Space


def dimension(d: int) -> Dimension:
    """Return `PLANE` for d = 2, `SPACE` for d = 3."""
    if d not in (2, 3):
        raise ParameterError(f"dimension: got {d} coordinates; expected 2 (plane) or 3 (space)")
    return PLANE if d == 2 else SPACE
