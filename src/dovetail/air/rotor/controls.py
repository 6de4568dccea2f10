"""What the pilot sets: rotor speed, collective and cyclic pitch, at a moment or from a table in time."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.name_lookup import place
from dovetail.core.parameter import known


class Controls(NamedTuple):
    """Settings at a moment. The pitch of a blade at azimuth psi gains `cyclic` cos(psi - azimuth)."""

    speed: jax.Array | float = 0.0  # [rad/s] of the rotor
    collective: jax.Array | float = 0.0  # [rad]
    cyclic: jax.Array | float = 0.0  # [rad] amplitude
    azimuth: jax.Array | float = 0.0  # [rad] where the pitch is largest; from the nose to port

    def pitch(self, psi: jax.Array) -> jax.Array:
        """What the controls add to the twist at azimuths psi [rad]."""
        return self.collective + self.cyclic * jnp.cos(psi - self.azimuth)


@kind("rotor-schedule")
class RotorSchedule(Part):
    """Controls at given times: straight in between, or along a smooth blend that rests at each time.

    The blend has no rate and no acceleration at the times of the table, so that a run is not slowed by corners;
    it does not overshoot. One value serves all times. `ends` is the last time; a run that lasts longer should be
    refused, and what is asked after it is the last value.
    """

    times: jax.Array = parameter("s", "times, rising", default=(0.0,))
    speed: jax.Array = parameter("rad/s", "rotor speed", default=0.0, at_least=0.0)
    collective: jax.Array = parameter("rad", "collective pitch", default=0.0)
    cyclic: jax.Array = parameter("rad", "amplitude of the cyclic pitch", default=0.0)
    azimuth: jax.Array = parameter("rad", "azimuth of the largest pitch", default=0.0)
    between: str = choice("linear", "blend", about="how two times are joined", default="linear")

    def __check_init__(self):
        times = self.times
        if not known(times):
            return
        if np.any(np.diff(np.asarray(times)) <= 0):
            raise ParameterError(f"RotorSchedule.times: got {np.asarray(times)}; times must rise")
        for name in Controls._fields:
            value = getattr(self, name)
            if np.ndim(value) and np.shape(value) != times.shape:
                raise ParameterError(
                    f"RotorSchedule.{name}: {np.size(value)} values for {times.size} times; one for each"
                )

    @property
    def ends(self) -> float:
        """Time [s] up to which it is given; without end where nothing changes."""
        return float(self.times[-1]) if self.times.size > 1 else float("inf")

    def __call__(self, t: jax.Array) -> Controls:
        """The controls at t [s]."""
        return Controls(*(self._read(getattr(self, name), t) for name in Controls._fields))

    def _read(self, values, t):
        if jnp.ndim(values) == 0:
            return values
        i, s = place(self.times, t)
        share = s if self.between == "linear" else s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        return values[i] + share * (values[i + 1] - values[i])
