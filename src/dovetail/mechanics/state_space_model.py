"""Numerical substructure defined by state-space matrices."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete
from dovetail.mechanics.base import Substructure

NEGLIGIBLE = 1e-12  # relative to the product of the magnitudes: rounding threshold for a zero product


@kind("state-space-model")
class StateSpaceModel(Substructure):
    r"""Linear first-order equations, for example from a finite-element code or an identification.

    .. math:: \dot{x} = A x + B F + E r + G \dot{r}, \qquad z = C x

    with the interface force F and displacement z, the excitation r and its rate. For one interface B, C, E
    and G are plain lists; for n interfaces B, E, G have n columns and C n rows. Omit E or G if the
    excitation does not act.

    Velocity and acceleration of the interface follow from the matrices, without numerical differentiation:

    .. math:: \dot z = C\dot x, \qquad \ddot z = C A \dot x + C E \dot r

    so C B and C G must be zero: neither the force nor the rate of the excitation may act directly on the
    interface velocity. A nonzero C B means that the interface has no mass.
    """

    A: Parameter = parameter("1", "states on rates, (n, n)")
    B: Parameter = parameter("1", "interface force on rates, (n,) or (n, axes)")
    C: Parameter = parameter("1", "states on interface displacement, (n,) or (axes, n)")
    E: Parameter = parameter("1", "excitation on rates, as B; 0 for none", default=0.0)
    G: Parameter = parameter("1", "rate of the excitation on rates, as B; 0 for none", default=0.0)
    x0: Parameter = parameter("1", "initial states, (n,), or 0 for rest", default=0.0)

    def __check_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("A", "B", "C", "E", "G", "x0")}
        if not all_arrays(*given.values()):
            return
        n, axes = self.A.shape[-1] if self.A.ndim else 0, self.B.shape[1:]
        right = {"A": (n, n), "B": (n, *axes), "C": (*axes, n), "E": (n, *axes), "G": (n, *axes), "x0": (n,)}
        for name, value in given.items():
            left_out = name in ("E", "G", "x0") and value.ndim == 0
            if value.shape != right[name] and not left_out:
                raise ParameterError(
                    f"StateSpaceModel.{name}: got shape {value.shape}; must be {right[name]} to match A and B"
                )
            if left_out and all_concrete(value) and value != 0:
                raise ParameterError(
                    f"StateSpaceModel.{name}: got {value:g}; expected shape {right[name]}, or 0 for none"
                )
        for name, what in (("B", "the force"), ("G", "the rate of the excitation")):
            if not _vanishes(self.C, given[name]):
                raise ParameterError(
                    f"StateSpaceModel: C {name} is not zero, so {what} acts directly on the interface velocity; "
                    "add a mass at the interface"
                )

    def init(self) -> jax.Array:
        return jnp.broadcast_to(self.x0, self.A.shape[-1:])

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return (
            self.A @ x
            + _acting(self.B, u["force"])
            + _acting(self.E, u["excitation"])
            + _acting(self.G, u["excitation_rate"])
        )

    def output(self, t: Time, x: State, u: Input) -> Output:
        rate = self.derivative(t, x, u)
        turned = self.A @ rate + _acting(self.E, u["excitation_rate"])
        return {"displacement": self.C @ x, "velocity": self.C @ rate, "acceleration": self.C @ turned}


def _acting(matrix: jax.Array, signal: jax.Array) -> jax.Array | float:
    """Return matrix times signal: zero, one column, or one column for each axis."""
    if matrix.ndim == 0:
        return 0.0
    return matrix * signal if matrix.ndim == 1 else matrix @ jnp.broadcast_to(signal, matrix.shape[1:])


def _vanishes(C: jax.Array, B: jax.Array) -> bool:
    if B.ndim == 0 or not all_concrete(C, B):
        return True
    c, b = np.asarray(C), np.asarray(B)
    return bool(np.all(np.abs(c @ b) <= NEGLIGIBLE * (np.abs(c) @ np.abs(b))))
