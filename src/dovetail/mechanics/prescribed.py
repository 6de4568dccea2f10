"""A motion that is prescribed whatever the force: the numerical side of a component test."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.name_lookup import risen
from dovetail.mechanics.base import Substructure


@kind("prescribed-sine")
class PrescribedSine(Substructure):
    r"""A sine that fades in, :math:`z = s(t)\,A\sin 2\pi f t`, for identifying a specimen on its rig.

    Nothing is fed back: the loop is open and cannot lose its stability. The fade s is smooth to its second
    derivative, so that velocity and acceleration have no steps. The excitation of a test does not reach it.
    """

    amplitude: jax.Array = parameter("m", "amplitude, half of the stroke", at_least=0.0)
    frequency: jax.Array = parameter("Hz", "frequency", above=0.0)
    fade: jax.Array = parameter("s", "time to reach the full amplitude", default=1.0, above=0.0)

    def init(self) -> tuple[()]:
        return ()

    def derivative(self, t, x, u) -> tuple[()]:
        return ()

    def output(self, t, x, u):
        t = jnp.asarray(t, dtype=float)

        def rate(t):
            return jax.jvp(self._position, (t,), (jnp.ones_like(t),))[1]

        velocity, acceleration = jax.jvp(rate, (t,), (jnp.ones_like(t),))
        return {"displacement": self._position(t), "velocity": velocity, "acceleration": acceleration}

    def _position(self, t):
        return risen(t, self.fade) * self.amplitude * jnp.sin(2.0 * jnp.pi * self.frequency * t)
