r"""Shapes by signed distance: positive outside, negative inside; the normal is the gradient.

.. math:: d_{A\cup B} = \min(d_A, d_B),\qquad d_{\text{hollow}} = -d,\qquad n = \nabla d

A mechanism is modelled as a union of shapes; automatic differentiation gives the normals. Outside the solids the
distances are exact, also of a union; inside a union they are a bound. A ball touches a shape if the distance of its
centre is less than its radius.

`SolidCavity` uses such a shape in a docking test in place of a drogue.
"""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.mechanics.geometry.base import Cavity, NearestPoint


class Shape(Part):
    """Solid in its own frame."""

    @abstractmethod
    def distance(self, p: jax.Array) -> jax.Array:
        """Return the signed distance [m] of a point [m] to the surface."""

    def normal(self, p: jax.Array) -> jax.Array:
        """Return the unit vector away from the solid at its nearest surface point, the gradient of the distance."""
        slope = jax.grad(self.distance)(p)
        n: jax.Array = slope / jnp.sqrt(jnp.maximum(jnp.sum(slope * slope), 1e-300))
        return n


def _length(v: jax.Array) -> jax.Array:
    """Return the Euclidean length, with derivative zero at zero instead of NaN."""
    square = jnp.sum(v * v)
    inside = square > 0
    return jnp.where(inside, jnp.sqrt(jnp.where(inside, square, 1.0)), 0.0)


@kind("ball")
class Ball(Shape):
    """Ball."""

    radius: Parameter = parameter("m", "radius", above=0.0)
    centre: Parameter = parameter("m", "centre", default=(0.0, 0.0, 0.0))

    def distance(self, p: jax.Array) -> jax.Array:
        return _length(p - self.centre) - self.radius


@kind("capsule")
class Capsule(Shape):
    """Ball swept along a segment: a rod with round ends."""

    start: Parameter = parameter("m", "first end of the segment")
    end: Parameter = parameter("m", "second end of the segment")
    radius: Parameter = parameter("m", "radius", above=0.0)

    def distance(self, p: jax.Array) -> jax.Array:
        along = self.end - self.start
        share = jnp.clip(jnp.sum((p - self.start) * along) / jnp.sum(along * along), 0.0, 1.0)
        return _length(p - self.start - share * along) - self.radius


@kind("box")
class Box(Shape):
    """Box with faces along the axes."""

    half_edges: Parameter = parameter("m", "half edge lengths along x, y, z", above=0.0)
    centre: Parameter = parameter("m", "centre", default=(0.0, 0.0, 0.0))

    def distance(self, p: jax.Array) -> jax.Array:
        q = jnp.abs(p - self.centre) - self.half_edges
        return _length(jnp.maximum(q, 0.0)) + jnp.minimum(jnp.max(q), 0.0)


@kind("cone")
class Cone(Shape):
    """Truncated cone along x, from `start` with `radius_start` over `length` towards +x."""

    radius_start: Parameter = parameter("m", "radius at the first end", at_least=0.0)
    radius_end: Parameter = parameter("m", "radius at the second end", at_least=0.0)
    length: Parameter = parameter("m", "length", above=0.0)
    start: Parameter = parameter("m", "centre of the first end", default=(0.0, 0.0, 0.0))

    def distance(self, p: jax.Array) -> jax.Array:
        x, r = p[0] - self.start[0], _length(p[1:] - self.start[1:])
        a, b, length = self.radius_start, self.radius_end, self.length
        # in the meridian plane: to the two end discs, and to the slanted side
        end_radius = jnp.where(x < length / 2, a, b)
        to_end = jnp.stack(
            [jnp.maximum(r - end_radius, 0.0), jnp.where(x < length / 2, -x, x - length)]
        )  # radial and axial; axial is negative inside
        side, rise = jnp.stack([length, b - a]), jnp.stack([x, r - a])
        share = jnp.clip(jnp.sum(rise * side) / jnp.sum(side * side), 0.0, 1.0)
        off = rise - share * side
        inside_side = rise[1] * length - rise[0] * (b - a) < 0
        inside = inside_side & (x > 0) & (x < length)
        to_disc = _length(jnp.stack([to_end[0], to_end[1]]))
        nearest = jnp.minimum(to_disc, _length(off))
        return jnp.where(inside, -nearest, nearest)


@kind("union")
class Union(Shape):
    """Union of several shapes."""

    parts: tuple[Shape, ...] = eqx.field(converter=tuple)

    def distance(self, p: jax.Array) -> jax.Array:
        return jnp.min(jnp.stack([part.distance(p) for part in self.parts]))


@kind("hollow")
class Hollow(Shape):
    """Complement of a shape: a cavity in an infinite block."""

    shape: Shape

    def distance(self, p: jax.Array) -> jax.Array:
        return -self.shape.distance(p)


@kind("solid-cavity")
class SolidCavity(Cavity):
    """Cavity from any shape; its mouth is at x = `length`."""

    shape: Shape
    length: Parameter = parameter("m", "x beyond which a probe has left", above=0.0)

    @property
    def mouth(self) -> jax.Array:
        return self.length

    def touch(self, centre: jax.Array, radius: jax.Array) -> NearestPoint:
        k = self.shape.distance(centre)
        normal = self.shape.normal(centre)
        return NearestPoint(
            gap=k - radius,
            normal=normal,
            on_surface=centre - k * normal,
            on_ball=centre - radius * normal,
            zone=jnp.zeros((), dtype=int),
        )
