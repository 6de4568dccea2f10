r"""Mass, centre of mass and inertia of single and rigidly joined bodies.

.. math:: m = \sum m_i,\qquad c = \frac1m\sum m_i c_i,\qquad
          I = \sum\left(I_i + m_i\,\tilde r_i\tilde r_i^{\mathsf T}\right),\quad r_i = c_i - c

(the parallel-axis theorem, with :math:`\tilde r` the cross-product matrix). Source: [Bondoky 2020, eqs 6.1 to
6.5]. Table 6.1 of the source lists two cylinders with the inertia about their *end* and shifts it again; use the
primitives of this package instead.
"""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.array_types import Numbers
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.motion import MotionModel
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import skew


@kind("mass-properties")
class MassProperties(MotionModel):
    """Mass [kg], centre of mass [m] in a reference frame, and inertia [kg m^2] about that centre.

    The inertia is a 3 x 3 matrix in the axes of the reference frame. Three numbers are its diagonal; one number is
    the inertia about every axis (planar models use only the x axis). As part of a system the body moves freely.
    """

    mass: Parameter = parameter("kg", "mass", above=0.0)
    inertia: Parameter = parameter("kg m^2", "inertia about the centre of mass")
    centre: Parameter = parameter("m", "centre of mass in the reference frame", default=(0.0, 0.0, 0.0))

    def __init__(self, mass: Numbers, inertia: Numbers, centre: Numbers = (0.0, 0.0, 0.0)) -> None:
        if not isinstance(inertia, jax.Array):
            inertia = np.asarray(inertia, float)  # NumPy avoids compilation for concrete numbers
        if inertia.ndim < 2:
            inertia = inertia[..., None] * np.eye(inertia.size if inertia.ndim else 3)
        self.mass = mass
        self.inertia = inertia
        self.centre = centre

    def __check_init__(self) -> None:
        super().__check_init__()
        if not all_concrete(self.inertia):
            return
        inertia = np.asarray(self.inertia)
        if inertia.shape[-2:] != (3, 3):
            raise ParameterError(
                f"MassProperties.inertia: got shape {inertia.shape}; expected one number, three or a 3 x 3 matrix"
            )
        skewness = np.abs(inertia - np.swapaxes(inertia, -1, -2)).max()
        if skewness > 1e-9 * np.abs(inertia).max():
            raise ParameterError("MassProperties.inertia: the matrix is not symmetric")
        principal = np.linalg.eigvalsh(inertia)
        if np.any(principal <= 0):
            raise ParameterError(
                f"MassProperties.inertia: principal values {principal} kg m^2; must be above 0"
            )

    @property
    def inverse_inertia(self) -> jax.Array:
        """Inverse of the inertia matrix."""
        return inverse(self.inertia)

    @property
    def matrix(self) -> jax.Array:
        """The 6 x 6 mass matrix at the centre of mass: mass on the first three diagonal entries, then inertia."""
        zero = jnp.zeros((3, 3))
        return jnp.block([[self.mass * jnp.eye(3), zero], [zero, self.inertia]])

    def expressed_in(self, pose: Pose) -> MassProperties:
        """Return the body expressed in a frame A; `pose` is the pose `X_AB` of its reference frame in A."""
        R = pose.R
        return MassProperties(self.mass, R @ self.inertia @ R.T, pose.point(self.centre))

    def translated_by(self, offset: Iterable[float] | jax.Array) -> MassProperties:
        """Return the body translated by an offset [m]."""
        return MassProperties(self.mass, self.inertia, self.centre + jnp.asarray(offset, float))

    def inertia_about(self, point: jax.Array) -> jax.Array:
        """Return the inertia [kg m^2] about another point, given in the reference frame [m]."""
        r = skew(self.centre - jnp.asarray(point, float))
        return self.inertia + self.mass * (r @ r.T)

    def subtract(self, cavity: MassProperties) -> MassProperties:
        """Return the body with a cavity removed."""
        mass = self.mass - cavity.mass
        centre = (self.mass * self.centre - cavity.mass * cavity.centre) / mass
        inertia = self.inertia_about(centre) - cavity.inertia_about(centre)
        return MassProperties(mass, inertia, centre)


def inverse(matrix: jax.Array) -> jax.Array:
    """Return the inverse of a 3 x 3 matrix by cofactors, which is much faster than a general solver."""
    a, b, c = matrix[0], matrix[1], matrix[2]
    cofactors = jnp.stack([jnp.cross(b, c), jnp.cross(c, a), jnp.cross(a, b)], -1)
    return cofactors / jnp.sum(a * cofactors[:, 0])


def combine(*bodies: MassProperties) -> MassProperties:
    """Return the mass properties of rigidly joined bodies, all given in the same reference frame."""
    if not bodies:
        raise ParameterError("combine: needs at least one body")
    zero = jnp.zeros(())
    mass = sum((body.mass for body in bodies), zero)
    centre = sum((body.mass * body.centre for body in bodies), zero) / mass
    return MassProperties(mass, sum((body.inertia_about(centre) for body in bodies), zero), centre)
