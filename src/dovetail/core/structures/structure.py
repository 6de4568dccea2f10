r"""Equation of motion of a structure, and base classes of its integration methods.

.. math:: M \ddot x + C \dot x + R(x, \dot x) = F(t)

The restoring force R is a function or a measurement. Methods that impose a displacement and then measure
(`PredictorCorrector`) accept both, and are therefore suitable for a pseudo-dynamic test.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from dovetail.core.array_types import Numbers
from dovetail.core.block import Part, Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import Parameter, check

Each = Float[Array, " n"]  # a value for each degree of freedom


def _matrix(value: Numbers) -> Float[Array, "n m"]:
    return jnp.atleast_2d(jnp.asarray(value, dtype=float))


class StructuralMotion(NamedTuple):
    """State of a structural method at the end of a step; all of shape (n,)."""

    x: Each  # [m] displacement
    v: Each  # [m/s] velocity
    a: Each  # [m/s^2] acceleration
    restoring: Each  # [N] restoring force at x, v
    load: Each  # [N] external force


class Linear(Part):
    """Linear restoring force, R = K x."""

    stiffness: Parameter = eqx.field(converter=_matrix)  # [N/m], (n, n)

    def __call__(self, x: Each, v: Each) -> Each:
        return self.stiffness @ x


class Structure(Part):
    """Mass, damping and restoring force of n degrees of freedom; a number means a 1 by 1 matrix.

    `restoring(x, v)` returns R [N] of shape (n,). Without this function R is zero or measured.
    """

    mass: Parameter = eqx.field(converter=_matrix)  # [kg], (n, n)
    damping: Parameter = eqx.field(converter=_matrix)  # [N s/m], (n, n)
    restoring: Callable[[jax.Array, jax.Array], jax.Array] | None = None

    def __check_init__(self) -> None:
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
        """Return the restoring force R(x, v) [N]; zero without `restoring`."""
        return jnp.zeros(self.size) if self.restoring is None else self.restoring(x, v)

    def start(
        self,
        x: ArrayLike = 0.0,
        v: ArrayLike = 0.0,
        load: ArrayLike = 0.0,
        restoring: ArrayLike | None = None,
    ) -> StructuralMotion:
        """Return the state whose acceleration satisfies the equation for x, v, load and restoring force."""
        x, v, load = (jnp.broadcast_to(jnp.asarray(s, dtype=float), (self.size,)) for s in (x, v, load))
        r = self.force(x, v) if restoring is None else jnp.broadcast_to(restoring, (self.size,))
        a = jnp.linalg.solve(self.mass, load - self.damping @ v - r)
        return StructuralMotion(x, v, a, r, load)


class StructuralMethod(eqx.Module):
    """Base class of methods that advance the motion of a structure by one step."""

    def __check_init__(self) -> None:
        check(self)

    @abstractmethod
    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        """Return the motion at t + dt under the load [N] at t + dt."""


class PredictorCorrector(StructuralMethod):
    """Base class of methods that need the restoring force at one known displacement per step.

    In a test: call `predict`, impose that displacement, measure the force, call `correct`. In a simulation `step`
    performs the sequence with the restoring force of the structure.
    """

    @abstractmethod
    def predict(self, dt: Time, motion: StructuralMotion) -> tuple[Each, Each]:
        """Return the displacement [m] to impose at t + dt, and its velocity [m/s]."""

    @abstractmethod
    def correct(
        self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each, measured: Each
    ) -> StructuralMotion:
        """Return the motion at t + dt from the restoring force [N] measured at the predicted displacement."""

    def step(self, structure: Structure, dt: Time, motion: StructuralMotion, load: Each) -> StructuralMotion:
        return self.correct(structure, dt, motion, load, structure.force(*self.predict(dt, motion)))
