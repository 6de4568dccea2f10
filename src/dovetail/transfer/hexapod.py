r"""Hexapod (Gough-Stewart platform): six legs of variable length between a base and a platform.

With the joints :math:`a_i` on the base and :math:`b_i` on the platform, a platform at position p and rotation
R has legs

.. math:: \ell_i = p + R\,b_i - a_i, \qquad L_i = |\ell_i|, \qquad e_i = \ell_i/L_i

whose rates and forces follow from the platform's twist and from the wrench on it, about its origin, with one
matrix:

.. math:: \dot L = J\,(v,\;\omega), \qquad J^{\mathsf T} f = (F,\;\tau), \qquad
          J_i = (e_i,\;(R\,b_i)\times e_i)

Inverse kinematics are explicit; forward kinematics use Newton iterations. A pose is reachable if each leg is within its
stops and each joint within its cone. The joints lie on two circles, in pairs; legs are massless and joints have no
backlash. The docking source names a hexapod as the best candidate for its six-axis testbed but does not model one
[Bondoky 2020, sec. 6.4.1]; the default dimensions are those of a common machine, chosen for this project.
Source of the equations: [Merlet 2006, chs 3 to 5].
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler, quaternion


@kind("hexapod")
class Hexapod(Part):
    """Geometry and limits of a hexapod. Frame: origin at the base centre, z up through the platform centre."""

    base_radius: Parameter = parameter(
        "m", "radius of the circle of the base's joints", above=0.0, default=0.75
    )
    platform_radius: Parameter = parameter(
        "m", "radius of the circle of the platform's joints", above=0.0, default=0.45
    )
    base_spread: Parameter = parameter(
        "rad", "half the angle between the two joints of a pair on the base", at_least=0.0, default=0.14
    )
    platform_spread: Parameter = parameter(
        "rad", "half the angle between the two joints of a pair on the platform", at_least=0.0, default=0.20
    )
    height: Parameter = parameter(
        "m", "height of the platform above the base in the home pose", above=0.0, default=0.9
    )
    min_leg_length: Parameter = parameter("m", "leg length at the inner stop", above=0.0, default=0.75)
    max_leg_length: Parameter = parameter("m", "leg length at the outer stop", above=0.0, default=1.35)
    max_joint_angle: Parameter = parameter(
        "rad",
        "largest rotation of a joint from its direction in the home pose",
        above=0.0,
        default=0.7,
        finite=False,
    )
    max_leg_speed: Parameter = parameter(
        "m/s", "largest speed of a leg", above=0.0, default=0.8, finite=False
    )
    max_leg_force: Parameter = parameter(
        "N", "largest force along a leg, in both directions", above=0.0, default=6000.0, finite=False
    )

    def __check_init__(self) -> None:
        super().__check_init__()
        values = jax.tree.leaves(self)
        if not all_concrete(*values):
            return
        home = _home_lengths(self)
        low, high = float(home.min()), float(home.max())
        if low <= float(self.min_leg_length) or high >= float(self.max_leg_length):
            raise ParameterError(
                f"Hexapod: in the home pose the leg lengths are {low:.4g} m to {high:.4g} m; expected lengths between "
                f"the stops at {float(self.min_leg_length):g} m and {float(self.max_leg_length):g} m"
            )

    @property
    def joints(self) -> tuple[Float[Array, "6 3"], Float[Array, "6 3"]]:
        """Positions of the joints, on the base in its frame and on the platform in its own, each (6, 3) [m]."""
        third, sixth = 2 * jnp.pi / 3, jnp.pi / 3
        centres = third * jnp.array([0, 0, 1, 1, 2, 2])
        sides = jnp.array([-1, 1, -1, 1, -1, 1])
        return (
            _circle(self.base_radius, centres + sides * self.base_spread),
            _circle(self.platform_radius, centres + sides * (sixth - self.platform_spread)),
        )

    @property
    def home(self) -> Pose:
        """Home pose of the platform in the base's frame."""
        return Pose(p=jnp.array([0.0, 0.0, 1.0]) * self.height)

    def legs(self, pose: Pose) -> Float[Array, "6 3"]:
        """Leg vectors from base joint to platform joint, in the base's frame, (6, 3) [m]."""
        a, b = self.joints
        return pose.p + b @ pose.R.T - a

    def lengths(self, pose: Pose) -> Float[Array, "6"]:
        """Leg lengths, (6,) [m]."""
        return jnp.sqrt(jnp.sum(self.legs(pose) ** 2, -1))

    def jacobian(self, pose: Pose) -> Float[Array, "6 6"]:
        """Leg rates for a twist of the platform at its origin, in the base's frame, (6, 6)."""
        directions = self.legs(pose)
        directions = directions / jnp.sqrt(jnp.sum(directions**2, -1, keepdims=True))
        arms = self.joints[1] @ pose.R.T
        return jnp.concatenate([directions, jnp.cross(arms, directions)], -1)

    def rates(self, pose: Pose, twist: Twist) -> Float[Array, "6"]:
        """Leg rates [m/s] for a twist of the platform at its origin."""
        return self.jacobian(pose) @ jnp.concatenate([twist.v, twist.w])

    def forces(self, pose: Pose, wrench: Wrench) -> Float[Array, "6"]:
        """Leg forces [N], positive in compression, that exert a wrench on the platform about its origin."""
        legs: jax.Array = jnp.linalg.solve(self.jacobian(pose).T, jnp.concatenate([wrench.f, wrench.tau]))
        return legs

    def pose(self, lengths: Float[Array, "6"], guess: Pose | None = None, iterations: int = 8) -> Pose:
        """Pose of the platform for given leg lengths, by Newton iterations from a guess (default: home).

        Six lengths correspond to several poses. From a nearby guess the result is the pose that the machine can reach
        continuously. After eight iterations from home the error is at rounding level.
        """
        start = self.home if guess is None else guess

        def improve(_: Any, pose: Pose) -> Pose:
            step = jnp.linalg.solve(self.jacobian(pose), lengths - self.lengths(pose))
            turn = quaternion.to_matrix(
                quaternion.from_vector(step[3:])
            )  # exact, so R stays a rotation matrix
            return Pose(turn @ pose.R, pose.p + step[:3])

        pose: Pose = jax.lax.fori_loop(0, iterations, improve, start)
        return pose

    def tilts(self, pose: Pose) -> Float[Array, "12"]:
        """Angle of each joint from its direction in the home pose: six of the base, six of the platform [rad]."""
        legs, legs_at_home = self.legs(pose), self.legs(self.home)
        legs_on_platform = legs @ pose.R  # in the platform's frame
        return jnp.concatenate([_angle(legs, legs_at_home), _angle(legs_on_platform, legs_at_home)])

    def reaches(self, pose: Pose) -> jax.Array:
        """True if each leg is within its stops and each joint within its cone."""
        lengths = self.lengths(pose)
        inside = jnp.all((lengths >= self.min_leg_length) & (lengths <= self.max_leg_length))
        return inside & jnp.all(self.tilts(pose) <= self.max_joint_angle)

    def travel(self, direction: Float[Array, "6"], max_travel: float = 2.0) -> Float[Array, ""]:
        """Reachable travel of the platform from home along one direction [m] or about it [rad].

        `direction` is (6,): three of translation, three of roll, pitch and yaw. Forty bisections; the workspace is
        assumed to have no gaps along a straight path from home.
        """
        direction = jnp.asarray(direction, float)

        def halve(_: Any, bounds: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            low, high = bounds
            middle = (low + high) / 2
            is_reachable = self.reaches(self.displaced_pose(middle * direction))
            return jnp.where(is_reachable, middle, low), jnp.where(is_reachable, high, middle)

        travel: jax.Array = jax.lax.fori_loop(0, 40, halve, (jnp.zeros(()), jnp.asarray(max_travel)))[0]
        return travel

    def displaced_pose(self, motion: Float[Array, "6"]) -> Pose:
        """Home pose translated by three lengths [m] and rotated by roll, pitch, yaw [rad]."""
        return Pose(euler.to_matrix(motion[3:]), self.home.p + motion[:3])


@eqx.filter_jit  # a dozen small operations would otherwise be compiled one by one
def _home_lengths(hexapod: Hexapod) -> Float[Array, "6"]:
    return hexapod.lengths(hexapod.home)


def _circle(radius: jax.Array, angles: jax.Array) -> jax.Array:
    return radius * jnp.stack([jnp.cos(angles), jnp.sin(angles), jnp.zeros_like(angles)], -1)


def _angle(a: jax.Array, b: jax.Array) -> jax.Array:
    """Angle between vectors [rad], accurate also for parallel vectors."""
    return jnp.arctan2(jnp.linalg.norm(jnp.cross(a, b), axis=-1), jnp.sum(a * b, -1))
