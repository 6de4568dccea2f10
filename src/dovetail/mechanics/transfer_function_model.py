"""Numerical substructure defined by transfer functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete
from dovetail.mechanics.base import Substructure


@kind("transfer-function-model")
class TransferFunctionModel(Substructure):
    r"""Linear model from excitation and interface force to interface displacement, initially at rest.

    .. math:: a(s)\,Z = b_F(s)\,F + b_r(s)\,R

    A mass m on a spring k and a damper c has :math:`a = m s^2 + c s + k`, :math:`b_F = 1` and
    :math:`b_r = c s + k` [Wallace 2006, eq. 2.18]. Coefficients start with the highest power. An optional second
    array axis holds the interface axes, which are independent of each other.

    The realisation is the observer form: the first state is the displacement, and the numerators enter
    unchanged. With :math:`a` scaled to a leading 1:

    .. math:: \dot x_i = x_{i+1} - a_i x_1 + b_{F,i} F + b_{r,i} r, \qquad z = x_1

    The force must act through at least two integrations (a mass), the excitation through at least one. The
    excitation is given with its rate, so velocity and acceleration are exact.
    """

    denominator: Parameter = parameter("1", "coefficients of a(s), highest power first")
    force: Parameter = parameter("1", "coefficients of b_F(s)")
    excitation: Parameter = parameter("1", "coefficients of b_r(s)", default=(0.0,))

    def __check_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("denominator", "force", "excitation")}
        if not all_arrays(*given.values()):
            return
        for name, value in given.items():
            if value.ndim not in (1, 2) or value.shape[0] == 0:
                raise ParameterError(
                    f"TransferFunctionModel.{name}: got shape {value.shape}; expected a list of coefficients"
                )
            if value.ndim == 2 and value.shape[1:] != self.axes:
                raise ParameterError(
                    f"TransferFunctionModel.{name}: {value.shape[1]} axes, another coefficient list has {self.axes[0]}"
                )
        a = self.denominator
        if all_concrete(a) and np.any(np.asarray(a)[0] == 0):
            raise ParameterError("TransferFunctionModel.denominator: the leading coefficient is 0; remove it")
        for name, degree, why in (
            ("force", 2, "otherwise the interface has no mass"),
            ("excitation", 1, "otherwise the excitation acts directly on the displacement"),
        ):
            highest = a.shape[0] - 1 - degree
            if given[name].shape[0] - 1 > highest:
                raise ParameterError(
                    f"TransferFunctionModel.{name}: order {given[name].shape[0] - 1}; with a denominator of "
                    f"order {a.shape[0] - 1} it must be at most {highest}: {why}"
                )

    @property
    def axes(self) -> tuple[int, ...]:
        """Shape of the interface; () unless a coefficient list has a second axis."""
        many = [c.shape[1:] for c in (self.denominator, self.force, self.excitation) if c.ndim == 2]
        return many[0] if many else ()

    def init(self) -> jax.Array:
        return jnp.zeros((self.denominator.shape[0] - 1, *self.axes))

    def derivative(self, t: Time, x: State, u: Input) -> State:
        a, b_force, b_excitation = self._scaled()
        later = jnp.concatenate([x[1:], jnp.zeros_like(x[:1])])
        return later - a * x[0] + b_force * u["force"] + b_excitation * u["excitation"]

    def output(self, t: Time, x: State, u: Input) -> Output:
        a, _, b_excitation = self._scaled()
        rate = self.derivative(t, x, u)
        acceleration = rate[1] - a[0] * rate[0] + b_excitation[0] * u["excitation_rate"]
        return {"displacement": x[0], "velocity": rate[0], "acceleration": acceleration}

    def _scaled(self) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return the coefficients below the leading one, divided by it, each (order, *axes)."""
        order, lead = self.denominator.shape[0] - 1, self.denominator[0]
        columns = []
        for c in (self.denominator[1:], self.force, self.excitation):
            c = (c if c.ndim == 1 + len(self.axes) else c[:, None]) / lead
            columns.append(jnp.concatenate([jnp.zeros((order - c.shape[0], *c.shape[1:])), c]))
        return columns[0], columns[1], columns[2]
