r"""A hexapod: six legs of variable length between a base and a platform (Gough and Stewart's).

With the joints :math:`a_i` on the base and :math:`b_i` on the platform, a platform at position p and rotation
R has legs

.. math:: \ell_i = p + R\,b_i - a_i, \qquad L_i = |\ell_i|, \qquad e_i = \ell_i/L_i

whose rates and forces belong to the platform's twist and to the wrench on it, about its origin, by one
matrix:

.. math:: \dot L = J\,(v,\;\omega), \qquad J^{\mathsf T} f = (F,\;\tau), \qquad
          J_i = (e_i,\;(R\,b_i)\times e_i)

Inverse kinematics are explicit, forward kinematics a Newton iteration. A pose is in reach where every leg is
within its stops and every joint within its cone. The joints lie in two circles, in pairs; legs are massless
and the joints without play. The docking source names a hexapod as the best candidate for its six-axis
testbed and models none [Bondoky 2020, sec. 6.4.1]; the sizes by default are ours, of a common machine.
Source of the equations: [Merlet 2006, chs 3 to 5].
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler, quaternion


@kind("hexapod")
class Hexapod(Part):
    """Geometry and limits. Frame: origin in the base's middle, z up through the platform's middle."""

    base_radius: jax.Array = parameter(
        "m", "radius of the circle of the base's joints", above=0.0, default=0.75
    )
    platform_radius: jax.Array = parameter(
        "m", "radius of the circle of the platform's joints", above=0.0, default=0.45
    )
    base_spread: jax.Array = parameter(
        "rad", "half the angle between the two joints of a pair on the base", at_least=0.0, default=0.14
    )
    platform_spread: jax.Array = parameter("rad", "the same on the platform", at_least=0.0, default=0.20)
    height: jax.Array = parameter("m", "of the platform above the base at home", above=0.0, default=0.9)
    shortest: jax.Array = parameter("m", "leg at its inner stop", above=0.0, default=0.75)
    longest: jax.Array = parameter("m", "leg at its outer stop", above=0.0, default=1.35)
    tilt: jax.Array = parameter(
        "rad", "most a joint may turn away from its direction at home", above=0.0, default=0.7
    )
    speed: jax.Array = parameter("m/s", "most of a leg", above=0.0, default=0.8)
    force: jax.Array = parameter("N", "most along a leg, either way", above=0.0, default=6000.0)

    def __check_init__(self):
        super().__check_init__()
        values = jax.tree.leaves(self)
        if not known(*values):
            return
        home = _home_lengths(self)
        low, high = float(home.min()), float(home.max())
        if low <= float(self.shortest) or high >= float(self.longest):
            raise ParameterError(
                f"Hexapod: at home the legs are {low:.4g} m long; the stops at {float(self.shortest):g} m and "
                f"{float(self.longest):g} m must lie on either side"
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
        """The platform at home, in the base's frame."""
        return Pose(p=jnp.array([0.0, 0.0, 1.0]) * self.height)

    def legs(self, pose: Pose) -> Float[Array, "6 3"]:
        """From each joint of the base to that of the platform, in the base's frame, (6, 3) [m]."""
        a, b = self.joints
        return pose.p + b @ pose.R.T - a

    def lengths(self, pose: Pose) -> Float[Array, "6"]:
        """Of the legs, (6,) [m]."""
        return jnp.sqrt(jnp.sum(self.legs(pose) ** 2, -1))

    def jacobian(self, pose: Pose) -> Float[Array, "6 6"]:
        """Leg rates for a twist of the platform at its origin, in the base's frame, (6, 6)."""
        along = self.legs(pose)
        along = along / jnp.sqrt(jnp.sum(along**2, -1, keepdims=True))
        arms = self.joints[1] @ pose.R.T
        return jnp.concatenate([along, jnp.cross(arms, along)], -1)

    def rates(self, pose: Pose, twist: Twist) -> Float[Array, "6"]:
        """Of the legs [m/s], for a twist of the platform at its origin."""
        return self.jacobian(pose) @ jnp.concatenate([twist.v, twist.w])

    def forces(self, pose: Pose, wrench: Wrench) -> Float[Array, "6"]:
        """Along the legs [N], pushing positive, that exert a wrench on the platform about its origin."""
        return jnp.linalg.solve(self.jacobian(pose).T, jnp.concatenate([wrench.f, wrench.tau]))

    def pose(self, lengths: Float[Array, "6"], guess: Pose | None = None, iterations: int = 8) -> Pose:
        """The platform whose legs are so long, nearest to a guess (home by default): Newton's iteration.

        Six lengths belong to several poses; from a guess nearby it is the one that the machine can reach
        without taking its legs off. After eight iterations from home the error is that of rounding.
        """
        start = self.home if guess is None else guess

        def improve(_, pose):
            step = jnp.linalg.solve(self.jacobian(pose), lengths - self.lengths(pose))
            return Pose(_turned(step[3:]) @ pose.R, pose.p + step[:3])

        return jax.lax.fori_loop(0, iterations, improve, start)

    def tilts(self, pose: Pose) -> Float[Array, "12"]:
        """How far each joint is from its direction at home: six of the base, six of the platform [rad]."""
        legs, legs_at_home = self.legs(pose), self.legs(self.home)
        seen = legs @ pose.R  # in the platform's frame
        return jnp.concatenate([_angle(legs, legs_at_home), _angle(seen, legs_at_home)])

    def reaches(self, pose: Pose) -> jax.Array:
        """Whether every leg is within its stops and every joint within its cone."""
        lengths = self.lengths(pose)
        inside = jnp.all((lengths >= self.shortest) & (lengths <= self.longest))
        return inside & jnp.all(self.tilts(pose) <= self.tilt)

    def travel(self, direction: Float[Array, "6"], most: float = 2.0) -> Float[Array, ""]:
        """How far the platform goes from home along one of six axes [m] or about it [rad].

        `direction` is (6,): three of translation, three of roll, pitch and yaw. Halves the range forty times:
        the workspace is taken as without holes along a straight way from home.
        """
        direction = jnp.asarray(direction, float)

        def halve(_, bounds):
            low, high = bounds
            middle = (low + high) / 2
            there = self.reaches(self.displaced(middle * direction))
            return jnp.where(there, middle, low), jnp.where(there, high, middle)

        return jax.lax.fori_loop(0, 40, halve, (jnp.zeros(()), jnp.asarray(most)))[0]

    def displaced(self, motion: Float[Array, "6"]) -> Pose:
        """Home moved by three lengths [m] and turned by roll, pitch, yaw [rad]."""
        return Pose(euler.to_matrix(motion[3:]), self.home.p + motion[:3])


@eqx.filter_jit  # a dozen small operations, each of which would compile by itself
def _home_lengths(hexapod: Hexapod) -> Float[Array, "6"]:
    return hexapod.lengths(hexapod.home)


def _circle(radius, angles) -> jax.Array:
    return radius * jnp.stack([jnp.cos(angles), jnp.sin(angles), jnp.zeros_like(angles)], -1)


def _angle(a, b) -> jax.Array:
    """Between vectors [rad], also where they are parallel."""
    return jnp.arctan2(jnp.linalg.norm(jnp.cross(a, b), axis=-1), jnp.sum(a * b, -1))


def _turned(phi) -> jax.Array:
    """Rotation matrix of a small rotation vector; exact, so that the iteration keeps R a rotation."""
    return quaternion.to_matrix(quaternion.from_vector(phi))
