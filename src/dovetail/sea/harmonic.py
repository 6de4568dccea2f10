"""A deck that moves in sines: regular waves, forced-motion tests."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.sea.motion import DeckMotion


@kind("harmonic-deck")
class HarmonicDeck(DeckMotion):
    r"""Each freedom a sum of sines, :math:`\sum_i a_i\sin(\omega_i t + \varphi_i)`, faded in over `rise`.

    The fade is smooth to its second derivative, so that the ship starts without a jolt.
    """

    amplitude: jax.Array = parameter("1", "six [m, rad], or one row of six for each harmonic")
    omega: jax.Array = parameter("rad/s", "one, or one for each harmonic", at_least=0.0)
    phase: jax.Array = parameter("rad", "one, six, or one row of six for each harmonic", default=0.0)
    rise: jax.Array = parameter("s", "time over which it fades in", default=0.0, at_least=0.0)

    def __check_init__(self):
        a, w = self.amplitude, self.omega
        if not known(a, w):
            return
        if a.shape[-1:] != (6,) or np.atleast_1d(w).shape[0] not in (1, np.atleast_2d(a).shape[0]):
            raise ParameterError(
                f"HarmonicDeck: amplitude {a.shape} and omega {w.shape}; give six amplitudes (surge, sway, "
                f"heave, roll, pitch, yaw) for each omega"
            )

    def displacement(self, t):
        a = jnp.atleast_2d(self.amplitude)
        angle = jnp.atleast_1d(self.omega)[:, None] * t + self.phase
        s = jnp.clip(t / jnp.where(self.rise > 0, self.rise, 1.0), 0.0, 1.0)
        fade = jnp.where(self.rise > 0, s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 1.0)
        return fade * jnp.sum(a * jnp.sin(angle), 0)
