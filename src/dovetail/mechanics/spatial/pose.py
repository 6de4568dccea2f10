r"""Poses: rotation and position of a frame.

.. math:: X_{AC} = X_{AB}\,X_{BC}:\quad R_{AC} = R_{AB}R_{BC},\qquad p_{AC} = p_{AB} + R_{AB}\,p_{BC}
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.parameter import Parameter
from dovetail.mechanics.spatial import euler, quaternion


class Pose(eqx.Module):
    """Pose `X_AB` of a frame B in a frame A.

    `X_AB @ X_BC` is X_AC, `X_AB.inverse()` is X_BA, `X_AB.point(p_BP)` is p_AP, `X_AB.vector(v_B)` is v_A.
    """

    R: Parameter = eqx.field(converter=lambda v: jnp.asarray(v, float), default_factory=lambda: jnp.eye(3))
    p: Parameter = eqx.field(
        converter=lambda v: jnp.asarray(v, float), default_factory=lambda: jnp.zeros(3)
    )  # [m]

    @classmethod
    def from_quaternion(cls, q: jax.Array, p: jax.Array) -> Pose:
        """Return the pose of a quaternion wxyz and a position [m]."""
        return cls(quaternion.to_matrix(jnp.asarray(q, float)), p)

    @classmethod
    def from_euler(cls, angles: jax.Array, p: jax.Array) -> Pose:
        """Return the pose of roll, pitch, yaw [rad] and a position [m]."""
        return cls(euler.to_matrix(angles), p)

    @classmethod
    def from_matrix(cls, T: jax.Array) -> Pose:
        """Return the pose of a homogeneous 4 x 4 matrix."""
        T = jnp.asarray(T, float)
        return cls(T[..., :3, :3], T[..., :3, 3])

    @property
    def quaternion(self) -> jax.Array:
        """Rotation as quaternion wxyz."""
        return quaternion.from_matrix(self.R)

    @property
    def euler(self) -> jax.Array:
        """Rotation as roll, pitch, yaw [rad]."""
        return euler.from_matrix(self.R)

    @property
    def matrix(self) -> jax.Array:
        """Homogeneous 4 x 4 matrix with the last row 0 0 0 1."""
        top = jnp.concatenate([self.R, self.p[..., None]], -1)
        last = jnp.broadcast_to(jnp.array([0.0, 0.0, 0.0, 1.0]), (*top.shape[:-2], 1, 4))
        return jnp.concatenate([top, last], -2)

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.point(other.p))

    def inverse(self) -> Pose:
        """Return the inverse pose, of A in B."""
        R = jnp.swapaxes(self.R, -1, -2)
        return Pose(R, -jnp.einsum("...ij,...j", R, self.p))

    def point(self, p_BP: jax.Array) -> jax.Array:
        """Return the position in A of a point given in B."""
        return self.p + self.vector(p_BP)

    def vector(self, v_B: jax.Array) -> jax.Array:
        """Return a free vector given in B, expressed in A."""
        return jnp.einsum("...ij,...j", self.R, v_B)
