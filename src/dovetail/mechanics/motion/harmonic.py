"""A frame that moves in sines: a deck in regular waves, a swaying wing tip, forced-motion tests."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.name_lookup import risen
from dovetail.core.parameter import known
from dovetail.mechanics.motion.base import FrameMotion, lifted


@kind("harmonic-motion")
class HarmonicMotion(FrameMotion):
    r"""Each freedom a sum of sines, :math:`a_0 + \sum_i a_i\sin(\omega_i t + \varphi_i)`, faded in over `rise`.

    The fade is smooth to its second derivative, so that the frame starts without a jolt.
    """

    amplitude: jax.Array = parameter(
        "1", "six (in a plane three) [m, rad], or one such row for each harmonic"
    )
    omega: jax.Array = parameter("rad/s", "one, or one for each harmonic", at_least=0.0)
    phase: jax.Array = parameter(
        "rad", "one, one for each freedom, or one such row for each harmonic", default=0.0
    )
    rise: jax.Array = parameter("s", "time over which it fades in", default=0.0, at_least=0.0)
    at: jax.Array = parameter("1", "means [m, rad]: one for each freedom", default=0.0)

    def __check_init__(self):
        a, w = self.amplitude, self.omega
        if not known(a, w):
            return
        if a.shape[-1:] not in ((3,), (6,)) or np.atleast_1d(w).shape[0] not in (
            1,
            np.atleast_2d(a).shape[0],
        ):
            raise ParameterError(
                f"HarmonicMotion: amplitude {a.shape} and omega {w.shape}; give six amplitudes (surge, sway, "
                f"heave, roll, pitch, yaw), in a plane three (sway, heave, roll), for each omega"
            )

    def pose(self, t):
        a = jnp.atleast_2d(self.amplitude)
        angle = jnp.atleast_1d(self.omega)[:, None] * t + self.phase
        wave, at = risen(t, self.rise) * jnp.sum(a * jnp.sin(angle), 0), self.at
        if at.ndim and at.shape != wave.shape:  # one of them of a plane, the other of space
            wave, at = lifted(wave), lifted(at)
        return at + wave
