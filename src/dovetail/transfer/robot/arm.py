r"""Six-axis robot arm with a spherical wrist: forward and inverse kinematics.

With all joints at zero the arm is straight and vertical. Joints 1, 4 and 6 rotate about z, joints 2, 3 and 5 about y:

.. math:: p_W = R_z(q_1)\left[\begin{pmatrix}a_1\\ b\\ c_1\end{pmatrix}
              + R_y(q_2)\begin{pmatrix}0\\ 0\\ c_2\end{pmatrix}
              + R_y(q_2+q_3)\begin{pmatrix}a_2\\ 0\\ c_3\end{pmatrix}\right], \qquad
          R = R_z(q_1)\,R_y(q_2+q_3)\,R_z(q_4)\,R_y(q_5)\,R_z(q_6)

with the wrist centre :math:`p_W` and the flange :math:`p = p_W + c_4\,R\,e_z`. Because the three wrist axes intersect
in one point, the inverse consists of two closed forms: three joints for the centre, with four solutions (front or
back, elbow up or down), and three joints for the rotation, with two solutions. The seven lengths and this split are
those of [Brandstötter 2014].
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import Parameter, Part, parameter
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import about_y, about_z

BRANCHES = 8
TURN = 2 * jnp.pi
AT_END = 1e-9  # largest excess of a cosine over one that counts as rounding


class Postures(eqx.Module):
    """All joint solutions for a pose."""

    joints: jax.Array  # (8, 6) [rad]; if the pose is not reachable, the nearest solution
    reachable: jax.Array  # (8,)


class Arm(Part):
    """Lengths and limits of an arm.

    `sign` and `offset` convert the angles of this model into controller angles: controller = sign * model + offset.
    Limits are in controller angles.
    """

    ONE_KIND: ClassVar[bool] = True

    a1: Parameter = parameter("m", "distance of the shoulder in front of the first axis", default=0.0)
    a2: Parameter = parameter("m", "offset of the forearm from the elbow", default=0.0)
    b: Parameter = parameter("m", "lateral offset of the arm from the first axis", default=0.0)
    c1: Parameter = parameter("m", "height of the shoulder", default=0.29)
    c2: Parameter = parameter("m", "length of the upper arm", default=0.27, above=0.0)
    c3: Parameter = parameter("m", "length of the forearm", default=0.302, above=0.0)
    c4: Parameter = parameter("m", "distance from wrist centre to flange", default=0.072, at_least=0.0)
    sign: Parameter = parameter("1", "sign of the controller angles", default=(1.0,) * 6)
    offset: Parameter = parameter("rad", "offset of the controller angles", default=(0.0,) * 6)
    min_angle: Parameter = parameter("rad", "smallest controller angle of each joint", default=(-jnp.pi,) * 6)
    max_angle: Parameter = parameter("rad", "largest controller angle of each joint", default=(jnp.pi,) * 6)
    max_speed: Parameter = parameter(
        "rad/s", "largest speed of each joint", default=(jnp.inf,) * 6, above=0.0
    )

    def forward(self, joints: Float[Array, "6"]) -> Pose:
        """Return the pose of the flange in the base frame for controller angles (6,)."""
        q = self._model(joints)
        first, arm = about_z(q[0]), about_y(q[1] + q[2])
        shoulder = jnp.stack([self.a1, self.b, self.c1])
        upper = about_y(q[1]) @ (self.c2 * jnp.eye(3)[2])
        fore = arm @ jnp.stack([self.a2, jnp.zeros(()), self.c3])
        R = first @ arm @ about_z(q[3]) @ about_y(q[4]) @ about_z(q[5])
        return Pose(R, first @ (shoulder + upper + fore) + self.c4 * R[:, 2])

    def inverse(self, pose: Pose, near: jax.Array | None = None) -> Postures:
        """Return all postures for a pose, in controller angles.

        `near` (6,), in controller angles, determines the fourth joint of a straight wrist and the number of full
        turns.
        """
        near = jnp.zeros(6) if near is None else near
        guide = self._model(near)
        centre = pose.p - self.c4 * pose.R[:, 2]
        across = centre[0] ** 2 + centre[1] ** 2 - self.b**2
        beside = across >= -AT_END * (self.c2 + self.c3) ** 2
        reach = jnp.sqrt(jnp.maximum(across, 0.0))
        heading, aside = jnp.arctan2(centre[1], centre[0]), jnp.arctan2(self.b, reach)
        joints, good = [], []
        for heading_1, forward in (
            (heading - aside, reach - self.a1),
            (heading + aside - jnp.pi, -reach - self.a1),
        ):
            for elbow in (1.0, -1.0):
                q2, q3, inside = self._elbow(forward, centre[2] - self.c1, elbow)
                R_wrist = (about_z(heading_1) @ about_y(q2 + q3)).T @ pose.R
                for flip in (1.0, -1.0):
                    joints.append(jnp.stack([heading_1, q2, q3, *_wrist(R_wrist, flip, guide[3])]))
                    good.append(inside & beside)
        angles = jnp.stack(joints) * self.sign + self.offset
        return Postures(angles + TURN * jnp.round((near - angles) / TURN), jnp.stack(good))

    def nearest(
        self, pose: Pose, near: Float[Array, "6"]
    ) -> tuple[Float[Array, "6"], Bool[Array, ""], Bool[Array, ""]]:
        """Return the posture within limits that is nearest to another.

        The result is the joints, whether a posture within limits exists, and whether the pose is reachable.
        """
        postures = self.inverse(pose, near)
        # a joint with a range of more than one turn has a second solution one turn away
        joints = self._into_limits(postures.joints)
        allowed = postures.reachable & self.within_limits(joints)
        cost = jnp.max(jnp.abs(joints - near), axis=1)
        cost = cost + jnp.where(allowed, 0.0, 1e3) + jnp.where(postures.reachable, 0.0, 1e6)
        best = jnp.argmin(cost)
        return joints[best], allowed[best], postures.reachable[best]

    def within_limits(self, joints: Float[Array, "*k 6"]) -> Bool[Array, "*k"]:
        """Return whether joints (..., 6) are within their limits."""
        return jnp.all((joints >= self.min_angle - 1e-9) & (joints <= self.max_angle + 1e-9), axis=-1)

    def manipulability(self, joints: Float[Array, "6"]) -> Float[Array, ""]:
        """Return the distance of a posture from a singularity: 0 is singular, 1 is the maximum.

        The smallest of three values: the sine of the wrist angle, the sine of the elbow angle, and the distance of the
        wrist centre from the first axis divided by the length of the arm.
        """
        q = self._model(joints)
        bend = q[2] + jnp.arctan2(self.a2, self.c3)
        flat = jnp.stack(
            [
                self.a1
                + self.c2 * jnp.sin(q[1])
                + self.a2 * jnp.cos(q[1] + q[2])
                + self.c3 * jnp.sin(q[1] + q[2]),
                self.b,
            ]
        )
        shoulder = jnp.sqrt(jnp.sum(flat**2)) / (self.c2 + self.c3)
        return jnp.min(jnp.stack([jnp.abs(jnp.sin(q[4])), jnp.abs(jnp.sin(bend)), shoulder]))

    def _model(self, joints: jax.Array) -> jax.Array:
        return (joints - self.offset) / self.sign

    def _elbow(
        self, forward: jax.Array, up: jax.Array, elbow: float
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return the second and third joint for a wrist centre in the plane of the arm, relative to the shoulder."""
        fore = jnp.sqrt(self.a2**2 + self.c3**2)
        far = jnp.sqrt(forward**2 + up**2)
        cosine = (far**2 + self.c2**2 - fore**2) / (2 * self.c2 * jnp.maximum(far, 1e-12))
        inside = (jnp.abs(cosine) <= 1 + AT_END) & (far > 1e-9)
        q2 = jnp.arctan2(forward, up) - elbow * jnp.arccos(jnp.clip(cosine, -1.0, 1.0))
        lean = jnp.arctan2(forward - self.c2 * jnp.sin(q2), up - self.c2 * jnp.cos(q2))
        return q2, lean - jnp.arctan2(self.a2, self.c3) - q2, inside

    def _into_limits(self, joints: jax.Array) -> jax.Array:
        """Return the joints, shifted by a full turn where this brings them within their limits."""
        over, under = joints > self.max_angle + 1e-9, joints < self.min_angle - 1e-9
        return joints - TURN * over + TURN * under


def _wrist(R: jax.Array, flip: float, guide: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the fourth to sixth joint for a rotation; `flip` is the sign of the fifth."""
    sine = flip * jnp.sqrt(R[0, 2] ** 2 + R[1, 2] ** 2)
    straight = jnp.abs(sine) < 1e-9
    q5 = jnp.arctan2(sine, R[2, 2])
    away = jnp.where(straight, 1.0, flip)
    q4 = jnp.where(straight, guide, jnp.arctan2(away * R[1, 2], away * R[0, 2]))
    # in a straight wrist the fourth and the sixth joint have one axis: the sixth makes the remaining rotation
    remaining = about_y(q5).T @ about_z(q4).T @ R
    return q4, q5, jnp.arctan2(remaining[1, 0], remaining[0, 0])
