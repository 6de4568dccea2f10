"""Mass-spring-damper between a moving support and an interface."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.mechanics.base import Substructure


@kind("oscillator")
class Oscillator(Substructure):
    r"""Mass on a spring and a damper from a moving support, loaded by the interface force.

    .. math:: m\ddot{z} + c(\dot{z} - \dot{r}) + k(z - r) = F

    Arrays for `m`, `c`, `k` give independent oscillators, one for each interface axis: the
    numerical substructure of a structure with several actuators.
    """

    m: Parameter = parameter("kg", "mass", above=0.0)
    c: Parameter = parameter("N s/m", "damping", at_least=0.0)
    k: Parameter = parameter("N/m", "stiffness", at_least=0.0)
    z0: Parameter = parameter("m", "initial displacement", default=0.0)
    v0: Parameter = parameter("m/s", "initial velocity", default=0.0)

    def init(self) -> dict[str, jax.Array]:
        shape = jnp.broadcast_shapes(*(jnp.shape(p) for p in (self.m, self.c, self.k, self.z0, self.v0)))
        return {"z": jnp.broadcast_to(self.z0, shape), "v": jnp.broadcast_to(self.v0, shape)}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return {"z": x["v"], "v": self._acceleration(x, u)}

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"displacement": x["z"], "velocity": x["v"], "acceleration": self._acceleration(x, u)}

    def _acceleration(self, x: dict[str, jax.Array], u: dict[str, jax.Array]) -> jax.Array:
        support = self.c * (x["v"] - u["excitation_rate"]) + self.k * (x["z"] - u["excitation"])
        return (u["force"] - support) * (1 / self.m)  # 1 / m does not change between stages
