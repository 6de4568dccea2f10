"""Spring whose force relaxes at constant displacement, like rubber or webbing."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Specimen


@kind("standard-linear-solid")
class StandardLinearSolid(Specimen):
    r"""Standard linear solid: a spring in parallel with a spring and a damper in series.

    .. math:: F = -k\,[(1 - \sigma)\,x + \sigma\,(x - y)], \qquad \tau\,\dot y = x - y

    Loaded fast it is a spring of stiffness k. At constant displacement its force decreases by the fraction
    :math:`\sigma` with the time constant :math:`\tau`. A slow test thus measures a lower stiffness than a fast one, and
    a longer dwell measures a lower one still. Source: [Bolien 2018, sec. 4.1], where the force of a ball decreases
    during the test.
    """

    k: Parameter = parameter("N/m", "stiffness when loaded fast", above=0.0)
    relaxing_fraction: Parameter = parameter(
        "1", "fraction of the force that relaxes", default=0.1, at_least=0.0, at_most=1.0
    )
    tau: Parameter = parameter("s", "time constant of the relaxation", default=60.0, above=0.0)
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def init(self) -> State:
        return jnp.zeros(self.shape)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return (u["displacement"] - x) / self.tau

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"force": -self.k * (u["displacement"] - self.relaxing_fraction * x)}
