r"""Ball in a drogue: a cylinder that opens into a cone.

The origin of frame D is in the centre of the cylinder's bottom; x points out of the drogue. With the ball's centre at
x and at the radius i from the axis, the nearest point of the wall is in one of three zones:

- A, the cone, for :math:`x > l_c + j\cos\theta_c\sin\theta_c`: distance :math:`k = j\cos\theta_c`, angle of
  the normal :math:`\theta = \theta_c`;
- B, the rim, between A and C: :math:`k = \sqrt{j^2+a^2}`, :math:`\theta = \arctan(a/j)`;
- C, the cylinder, for :math:`x \le l_c`: :math:`k = j`, :math:`\theta = 0`;

with :math:`a = x - l_c`, :math:`j = r_c + a\tan\theta_c - i` in A and :math:`j = r_c - i` in B and C. The
normal is :math:`(\sin\theta,\,-\cos\theta\,\hat\rho)`: from the wall towards the axis and outward. Distance
and normal are continuous across the zone boundaries. On the axis every direction is nearest; the meridian plane of z
is used there.

Source: [Bondoky 2020, sec. 6.3.3]. Corrected: the angle of zone B (published with b instead of a) and the sign of x
in the normals; tests check both. Assumptions: contact only inside the drogue, only with the ball, at one point. The
wall behind the mouth and the outside of the drogue are not modelled.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.mechanics.geometry.base import Cavity, NearestPoint

ZONES = ("A cone", "B rim", "C cylinder")


@kind("drogue")
class Drogue(Cavity):
    """Drogue of a cylinder and a cone."""

    cylinder_radius: Parameter = parameter("m", "radius of the cylinder", above=0.0)
    cylinder_length: Parameter = parameter("m", "length of the cylinder", at_least=0.0)
    cone_length: Parameter = parameter("m", "axial length of the cone", above=0.0)
    half_angle: Parameter = parameter(
        "rad", "half of the opening angle of the cone", above=0.0, below=jnp.pi / 2
    )

    @property
    def mouth(self) -> jax.Array:
        """Length of cylinder and cone [m]."""
        return self.cylinder_length + self.cone_length

    @property
    def mouth_radius(self) -> jax.Array:
        """Radius of the open end [m]."""
        return self.cylinder_radius + self.cone_length * jnp.tan(self.half_angle)

    def touch(self, centre: jax.Array, radius: jax.Array | float) -> NearestPoint:
        """Return the nearest point for a ball of `radius` [m] with its centre at `centre` [m] in D."""
        x, y, z = centre[0], centre[1], centre[2]
        square = y * y + z * z
        off_axis = square > 0
        i = jnp.sqrt(jnp.where(off_axis, square, 1.0))
        outward = jnp.where(off_axis, jnp.stack([y, z]) / i, jnp.array([0.0, 1.0]))
        i = jnp.where(off_axis, i, 0.0)

        sin, cos = jnp.sin(self.half_angle), jnp.cos(self.half_angle)
        a = x - self.cylinder_length
        to_cone = self.cylinder_radius + a * sin / cos - i  # j of zone A
        to_cylinder = self.cylinder_radius - i  # j of zones B and C
        rim_square = to_cylinder**2 + a**2
        on_rim = rim_square > 0
        to_rim = jnp.sqrt(jnp.where(on_rim, rim_square, 1.0))

        in_cone = (a > 0) & (a > to_cone * cos * sin)
        in_cylinder = a <= 0
        k = jnp.where(
            in_cone, to_cone * cos, jnp.where(in_cylinder, to_cylinder, jnp.where(on_rim, to_rim, 0))
        )
        sin_n = jnp.where(in_cone, sin, jnp.where(in_cylinder, 0.0, a / to_rim))
        cos_n = jnp.where(in_cone, cos, jnp.where(in_cylinder, 1.0, to_cylinder / to_rim))
        normal = jnp.concatenate([sin_n[None], -cos_n * outward])
        return NearestPoint(
            gap=k - radius,
            normal=normal,
            on_surface=centre - k * normal,
            on_ball=centre - radius * normal,
            zone=jnp.where(in_cone, 0, jnp.where(in_cylinder, 2, 1)),
        )
