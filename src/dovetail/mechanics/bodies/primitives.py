r"""Mass properties of simple shapes with uniform density.

The axis of symmetry is x. The reference frame of a cuboid, sphere or cylinder is in its centre. The frame of a
half-sphere is in the centre of its flat face, and the dome points towards +x. The frame of a frustum is at its first
end, and the frustum extends towards +x. A hollow shape is the outer shape minus the inner shape.

With :math:`r(x)` linear from a to b over the length L, the integrals of a frustum are
:math:`\int r^2 = \tfrac L3(a^2+ab+b^2)`, :math:`\int x r^2 = \tfrac{L^2}{12}(a^2+2ab+3b^2)`,
:math:`\int x^2r^2 = \tfrac{L^3}{30}(a^2+3ab+6b^2)` and
:math:`\int r^4 = \tfrac L5(a^4+a^3b+a^2b^2+ab^3+b^4)`; a cylinder is a frustum with a = b.
"""

from __future__ import annotations

import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies.mass_properties import MassProperties


def _positive(shape: str, **sizes: float) -> None:
    for name, value in sizes.items():
        if not value > 0:
            raise ParameterError(f"{shape}: {name} is {value:g}; must be above 0 (kg or m)")


def _inside(shape: str, inner: float, outer: float) -> None:
    if not 0 <= inner < outer:
        raise ParameterError(f"{shape}: inner radius {inner:g} m; must be at least 0 and below {outer:g} m")


def cuboid(mass: float, size: tuple[float, float, float]) -> MassProperties:
    """Return a solid box with edges `size` [m] along x, y, z."""
    a, b, c = (float(s) for s in size)
    _positive("cuboid", mass=mass, length=a, width=b, height=c)
    return MassProperties(mass, mass / 12 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]))


def cube(mass: float, side: float) -> MassProperties:
    """Return a solid cube."""
    return cuboid(mass, (side, side, side))


def sphere(mass: float, radius: float, inner: float = 0.0) -> MassProperties:
    """Return a solid sphere, or a shell between two radii [m]."""
    _positive("sphere", mass=mass, radius=radius)
    _inside("sphere", inner, radius)
    value = 2 / 5 * mass * (radius**5 - inner**5) / (radius**3 - inner**3)
    return MassProperties(mass, np.full(3, value))


def half_sphere(mass: float, radius: float) -> MassProperties:
    """Return a solid half-sphere; its centre of mass is 3/8 of the radius from the flat face."""
    _positive("half-sphere", mass=mass, radius=radius)
    across = 83 / 320 * mass * radius**2
    return MassProperties(
        mass, np.array([2 / 5 * mass * radius**2, across, across]), (3 / 8 * radius, 0.0, 0.0)
    )


def cylinder(mass: float, radius: float, length: float, inner: float = 0.0) -> MassProperties:
    """Return a cylinder along x, or a tube."""
    _positive("cylinder", mass=mass, radius=radius, length=length)
    _inside("cylinder", inner, radius)
    square = radius**2 + inner**2
    across = mass / 12 * (3 * square + length**2)
    return MassProperties(mass, np.array([mass / 2 * square, across, across]))


def frustum(
    mass: float,
    radii: tuple[float, float],
    length: float,
    inner: tuple[float, float] = (0.0, 0.0),
) -> MassProperties:
    """Return a conical frustum with radii at x = 0 and x = length [m]; hollow with inner radii."""
    a, b = (float(r) for r in radii)
    _positive("frustum", mass=mass, length=length)
    if min(a, b) < 0 or max(a, b) <= 0:
        raise ParameterError(f"frustum: radii {a:g} and {b:g} m; both must be at least 0 and one above 0")
    for hollow, outer in zip(inner, (a, b), strict=True):
        if hollow < 0 or hollow > outer:
            raise ParameterError(f"frustum: inner radius {hollow:g} m; must be in 0 to {outer:g} m")
    full, cut = _moments(a, b, length), _moments(*inner, length)
    area, first, second, fourth = (f - c for f, c in zip(full, cut, strict=True))
    if not area > 0:
        raise ParameterError(
            "frustum: the inner radii equal the outer radii, so the volume is zero; reduce the inner radii"
        )
    density = mass / area
    x = first / area
    across = density * (fourth / 4 + second) - mass * x**2
    return MassProperties(mass, np.array([density * fourth / 2, across, across]), (x, 0.0, 0.0))


def _moments(a: float, b: float, length: float) -> tuple[float, float, float, float]:
    """Return the integrals over the length of r^2, x r^2, x^2 r^2 and r^4."""
    return (
        length / 3 * (a**2 + a * b + b**2),
        length**2 / 12 * (a**2 + 2 * a * b + 3 * b**2),
        length**3 / 30 * (a**2 + 3 * a * b + 6 * b**2),
        length / 5 * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4),
    )
