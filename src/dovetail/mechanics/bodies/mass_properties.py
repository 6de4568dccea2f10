r"""Mass, centre and inertia of bodies, and of bodies joined rigidly.

.. math:: m = \sum m_i,\qquad c = \frac1m\sum m_i c_i,\qquad
          I = \sum\left(I_i + m_i\,\tilde r_i\tilde r_i^{\mathsf T}\right),\quad r_i = c_i - c

(the parallel-axis theorem, with :math:`\tilde r` the cross-product matrix). Source: [Bondoky 2020, eqs 6.1 to
6.5]. Its table 6.1 lists two cylinders with the inertia about their *end* and shifts it again; feed the
primitives of this package instead.
"""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.motion import Mover
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import skew


@kind("body")
class MassProperties(Mover):
    """Mass [kg], centre of mass [m] in a reference frame, and inertia [kg m^2] about that centre.

    The inertia is a 3 x 3 matrix in the axes of the reference frame; three numbers are taken as its diagonal, one
    as the same about every axis (in a plane only that about x counts). As a body among others it moves freely.
    """

    mass: jax.Array = parameter("kg", "mass", above=0.0)
    inertia: jax.Array = parameter("kg m^2", "inertia about the centre of mass")
    centre: jax.Array = parameter("m", "centre of mass in the reference frame", default=(0.0, 0.0, 0.0))

    def __init__(self, mass, inertia, centre=(0.0, 0.0, 0.0)):
        if not isinstance(inertia, jax.Array):
            inertia = np.asarray(inertia, float)  # of numbers that are there nothing is compiled
        if inertia.ndim < 2:
            inertia = inertia[..., None] * np.eye(inertia.size if inertia.ndim else 3)
        self.mass = mass
        self.inertia = inertia
        self.centre = centre

    def __check_init__(self):
        super().__check_init__()
        if not known(self.inertia):
            return
        inertia = np.asarray(self.inertia)
        if inertia.shape[-2:] != (3, 3):
            raise ParameterError(
                f"MassProperties.inertia: has shape {inertia.shape}; needs one number, three or a 3 x 3 matrix"
            )
        skewness = np.abs(inertia - np.swapaxes(inertia, -1, -2)).max()
        if skewness > 1e-9 * np.abs(inertia).max():
            raise ParameterError("MassProperties.inertia: is not symmetric")
        principal = np.linalg.eigvalsh(inertia)
        if np.any(principal <= 0):
            raise ParameterError(f"MassProperties.inertia: principal values {principal}; must be above 0")

    @property
    def inverse_inertia(self) -> jax.Array:
        """Inverse of the inertia."""
        return inverse(self.inertia)

    @property
    def matrix(self) -> jax.Array:
        """The 6 x 6 mass matrix at the centre: mass thrice, then inertia."""
        zero = jnp.zeros((3, 3))
        return jnp.block([[self.mass * jnp.eye(3), zero], [zero, self.inertia]])

    def placed(self, pose: Pose) -> MassProperties:
        """The same body seen from a frame A in which its own reference frame has the pose `X_AB`."""
        R = pose.R
        return MassProperties(self.mass, R @ self.inertia @ R.T, pose.point(self.centre))

    def moved(self, offset: Iterable[float] | jax.Array) -> MassProperties:
        """The same body shifted by an offset [m]."""
        return MassProperties(self.mass, self.inertia, self.centre + jnp.asarray(offset, float))

    def about(self, point: jax.Array) -> jax.Array:
        """Inertia [kg m^2] about another point, given in the reference frame [m]."""
        r = skew(self.centre - jnp.asarray(point, float))
        return self.inertia + self.mass * (r @ r.T)

    def without(self, cavity: MassProperties) -> MassProperties:
        """What is left when a part is cut out."""
        mass = self.mass - cavity.mass
        centre = (self.mass * self.centre - cavity.mass * cavity.centre) / mass
        inertia = self.about(centre) - cavity.about(centre)
        return MassProperties(mass, inertia, centre)


def inverse(matrix: jax.Array) -> jax.Array:
    """Of a 3 x 3 matrix, by cofactors: a general solver costs a simulation most of its time."""
    a, b, c = matrix[0], matrix[1], matrix[2]
    cofactors = jnp.stack([jnp.cross(b, c), jnp.cross(c, a), jnp.cross(a, b)], -1)
    return cofactors / jnp.sum(a * cofactors[:, 0])


def assembled(*bodies: MassProperties) -> MassProperties:
    """Several bodies joined rigidly, all given in the same reference frame."""
    if not bodies:
        raise ParameterError("assembled: needs at least one body")
    zero = jnp.zeros(())
    mass = sum((body.mass for body in bodies), zero)
    centre = sum((body.mass * body.centre for body in bodies), zero) / mass
    return MassProperties(mass, sum((body.about(centre) for body in bodies), zero), centre)
