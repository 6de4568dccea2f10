"""Prescribed motion, independent of the force: the numerical side of a component test."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.interpolation import fade_in_factor
from dovetail.mechanics.base import Substructure


@kind("prescribed-sine")
class PrescribedSine(Substructure):
    r"""Sine motion that fades in, :math:`z = s(t)\,A\sin 2\pi f t`, to identify a specimen on its rig.

    The loop is open, so it has no stability limit. The fade s is smooth up to its second
    derivative, so velocity and acceleration have no steps. The excitation of the test is not used.
    """

    amplitude: Parameter = parameter("m", "amplitude (half the stroke)", at_least=0.0)
    frequency: Parameter = parameter("Hz", "frequency", above=0.0)
    fade_in_time: Parameter = parameter("s", "time to reach full amplitude", default=1.0, above=0.0)

    def init(self) -> tuple[()]:
        return ()

    def derivative(self, t: Time, x: State, u: Input) -> tuple[()]:
        return ()

    def output(self, t: Time, x: State, u: Input) -> Output:
        t = jnp.asarray(t, dtype=float)

        def rate(t: jax.Array) -> jax.Array:
            speed: jax.Array = jax.jvp(self._position, (t,), (jnp.ones_like(t),))[1]
            return speed

        velocity, acceleration = jax.jvp(rate, (t,), (jnp.ones_like(t),))
        return {"displacement": self._position(t), "velocity": velocity, "acceleration": acceleration}

    def _position(self, t: jax.Array) -> jax.Array:
        return (
            fade_in_factor(t, self.fade_in_time) * self.amplitude * jnp.sin(2.0 * jnp.pi * self.frequency * t)
        )
