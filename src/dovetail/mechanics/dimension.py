r"""What differs between the plane and space: rotations, cross products, the number of components.

Dynamics are written once against these few functions. In space the axes are forward, port, up and the attitude is a
unit quaternion `wxyz`; the plane is its restriction to (port, up) with one angle, the roll about the forward axis,
counter-clockwise positive as seen onto the nose [Schock 2020, sec. 2.2].
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
    """Two coordinates and one angle."""

    d, turns, attitude = 2, 1, 1
    axes = ("port", "up")

    def level(self) -> jax.Array:
        """The attitude without rotation."""
        return jnp.zeros(1)

    def rotation(self, attitude: jax.Array) -> jax.Array:
        """Body axes to world axes, (2, 2)."""
        return jnp.cos(attitude[0]) * _UPRIGHT + jnp.sin(attitude[0]) * _ACROSS

    def attitude_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Rate of the attitude under an angular velocity in body axes."""
        return w

    def turned(self, attitude: jax.Array, change: jax.Array) -> jax.Array:
        """The small rotation in body axes that a change of the attitude is."""
        return change

    def turn_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """The change of the attitude that a small rotation in body axes is."""
        return w

    def cross(self, w: jax.Array, r: jax.Array) -> jax.Array:
        """Angular velocity (1,) cross vectors (..., 2)."""
        return w[..., :1] * jnp.stack([-r[..., 1], r[..., 0]], -1)

    def moment(self, r: jax.Array, f: jax.Array) -> jax.Array:
        """Vectors (..., 2) cross vectors (..., 2), a moment (..., 1)."""
        return (r[..., 0] * f[..., 1] - r[..., 1] * f[..., 0])[..., None]

    def spin(self, w: jax.Array, m: jax.Array) -> jax.Array:
        """Angular velocity cross moment-like vectors: nothing in the plane."""
        return jnp.zeros_like(m)

    def lever(self, r: jax.Array) -> jax.Array:
        """The matrix (..., 2, 1) of w cross r."""
        return jnp.stack([-r[..., 1], r[..., 0]], -1)[..., None]

    def lifted(self, v: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
        """A velocity and an angular velocity of the plane in space (forward, port, up)."""
        return jnp.stack([jnp.zeros_like(v[0]), v[0], v[1]]), jnp.stack([w[0], 0 * w[0], 0 * w[0]])

    def restricted(self, force: jax.Array, moment: jax.Array) -> tuple[jax.Array, jax.Array]:
        """What of a force and a moment in space acts in the plane."""
        return force[1:], moment[:1]


class Space:
    """Three coordinates and a quaternion."""

    d, turns, attitude = 3, 3, 4
    axes = ("forward", "port", "up")

    def level(self) -> jax.Array:
        """The attitude without rotation."""
        return quaternion.identity()

    def rotation(self, attitude: jax.Array) -> jax.Array:
        """Body axes to world axes, (3, 3)."""
        return quaternion.to_matrix(attitude)

    def attitude_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """Rate of the attitude under an angular velocity in body axes; its length is mended."""
        return quaternion.rate(attitude, w)

    def turned(self, attitude: jax.Array, change: jax.Array) -> jax.Array:
        """The small rotation in body axes that a change of the attitude is."""
        return 2 * quaternion.multiply(quaternion.conjugate(attitude), change)[1:]

    def turn_rate(self, attitude: jax.Array, w: jax.Array) -> jax.Array:
        """The change of the attitude that a small rotation in body axes is."""
        return quaternion.multiply(attitude, jnp.concatenate([jnp.zeros(1), w])) / 2

    def cross(self, w: jax.Array, r: jax.Array) -> jax.Array:
        """Angular velocity (3,) cross vectors (..., 3)."""
        return jnp.cross(jnp.broadcast_to(w, r.shape), r)

    def moment(self, r: jax.Array, f: jax.Array) -> jax.Array:
        """Vectors cross vectors."""
        return jnp.cross(r, f)

    def spin(self, w: jax.Array, m: jax.Array) -> jax.Array:
        """Angular velocity cross moment-like vectors (..., 3)."""
        return jnp.cross(jnp.broadcast_to(w, m.shape), m)

    def lever(self, r: jax.Array) -> jax.Array:
        """The matrix (..., 3, 3) of w cross r."""
        return -skew(r)

    def lifted(self, v: jax.Array, w: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Nothing to lift."""
        return v, w

    def restricted(self, force: jax.Array, moment: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Everything acts."""
        return force, moment


PLANE, SPACE = Plane(), Space()
Dimension = Plane | Space


def dimension(d: int) -> Dimension:
    """The plane for 2, space for 3."""
    if d not in (2, 3):
        raise ParameterError(f"dimension: got {d} coordinates; two make a plane, three make space")
    return PLANE if d == 2 else SPACE
