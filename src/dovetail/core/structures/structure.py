r"""A structure in the form of structural dynamics, and the base of the methods made for it.

.. math:: M \ddot x + C \dot x + R(x, \dot x) = F(t)

The restoring force R is a function here, or a measurement: the methods that impose a displacement and then
measure (`PredictorCorrector`) can be used either way, and so serve a pseudo-dynamic test.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core.block import Part, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import check

Each = Float[Array, " n"]  # a value for each degree of freedom


def _matrix(value) -> Float[Array, "n m"]:
    return jnp.atleast_2d(jnp.asarray(value, dtype=float))


class StructuralMotion(NamedTuple):
    """State of a structural method at the end of a step; all of shape (n,)."""

    x: Each  # [m] displacement
    v: Each  # [m/s] velocity
    a: Each  # [m/s^2] acceleration
    restoring: Each  # [N] restoring force at x, v
    load: Each  # [N] external force


class Linear(Part):
    """A linear restoring force, R = K x."""

    stiffness: jax.Array = eqx.field(converter=_matrix)  # [N/m], (n, n)

    def __call__(self, x: Each, v: Each) -> Each:
        return self.stiffness @ x


class Structure(Part):
    """Mass, damping and restoring force of n degrees of freedom; a number stands for a 1 by 1 matrix.

    `restoring(x, v)` gives R [N] of shape (n,); without one it is zero or comes from measurement.
    """

    mass: jax.Array = eqx.field(converter=_matrix)  # [kg], (n, n)
    damping: jax.Array = eqx.field(converter=_matrix)  # [N s/m], (n, n)
    restoring: Callable[[jax.Array, jax.Array], jax.Array] | None = None

    def __check_init__(self):
        n = self.mass.shape[-1]
        if self.mass.shape != (n, n) or self.damping.shape != (n, n):
            raise ParameterError(
                f"Structure: mass of shape {self.mass.shape} and damping of shape {self.damping.shape}; "
                "both must be square and of one size"
            )

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return self.mass.shape[0]

    def force(self, x: Each, v: Each) -> Each:
        """Restoring force R(x, v) [N]; zero where the structure has none of its own."""
        return jnp.zeros(self.size) if self.restoring is None else self.restoring(x, v)

    def start(self, x=0.0, v=0.0, load=0.0, restoring=None) -> StructuralMotion:
        """State with the acceleration that the equation demands of x, v, the load and the restoring force."""
        x, v, load = (jnp.broadcast_to(jnp.asarray(s, dtype=float), (self.size,)) for s in (x, v, load))
        r = self.force(x, v) if restoring is None else jnp.broadcast_to(restoring, (self.size,))
        a = jnp.linalg.solve(self.mass, load - self.damping @ v - r)
        return StructuralMotion(x, v, a, r, load)


class StructuralMethod(eqx.Module):
    """A rule that carries the motion of a structure over one step to the load at its end."""

    def __check_init__(self):
        check(self)

    @abstractmethod
    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        """Motion at t + dt under the load [N] at t + dt."""


class PredictorCorrector(StructuralMethod):
    """Methods that need the restoring force at one known displacement in each step.

    In a test: `predict`, impose that displacement, measure the force, `correct`. In a simulation `step` does
    the three with the structure's own restoring force.
    """

    @abstractmethod
    def predict(self, dt: Time, motion: StructuralMotion) -> tuple[Each, Each]:
        """Displacement [m] to impose at t + dt, and its velocity [m/s]."""

    @abstractmethod
    def correct(
        self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each, measured: Each
    ) -> StructuralMotion:
        """Motion at t + dt from the restoring force [N] measured at the predicted displacement."""

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        return self.correct(structure, dt, motion, load, structure.force(*self.predict(dt, motion)))
