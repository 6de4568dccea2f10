r"""Rotor controlled by a simple pilot model: hold position, descend, release.

The pilot is a set of linear rules. In the plane across the flight direction, with the position error
:math:`e = y - y_{ref}(t)`,

.. math:: \varphi_{ref} = k_y e + k_v \dot e, \qquad
          \theta_c = k_\varphi(\varphi_{ref} - \varphi) - k_p\,p, \qquad
          \theta_0 = \theta_{trim} - k_z(z - z_{ref}) - k_w(\dot z - \dot z_{ref})

(port side up moves the aircraft to starboard). The cyclic pitch acts at an azimuth of 90 degrees. The
authority, a table over time, scales all commands of the pilot. With zero authority, for example on deck, only the pitch
of the schedule remains.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.rotor_on_body import RotorOnBody
from dovetail.core import Parameter, kind, parameter
from dovetail.core.interpolation import interpolate


@kind("piloted-rotor")
class PilotedRotor(RotorOnBody):
    """Rotor whose schedule is corrected by a pilot; `reference` has rows of port position and height [m]."""

    times: Parameter = parameter("s", "times of the reference and the authority", default=(0.0, 1.0))
    reference: Parameter = parameter(
        "m", "reference position, port and up, for each time", default=((0.0, 1.0), (0.0, 1.0))
    )
    authority: Parameter = parameter(
        "1", "authority: fraction of the pilot's commands applied, for each time", default=(1.0, 1.0)
    )
    position_gain: Parameter = parameter("rad/m", "position gain k_y", default=0.06)
    velocity_gain: Parameter = parameter("rad s/m", "velocity gain k_v", default=0.09)
    roll_gain: Parameter = parameter("1", "roll angle gain k_phi", default=0.012)
    rate_gain: Parameter = parameter("s", "roll rate gain k_p", default=0.006)
    height_gain: Parameter = parameter("rad/m", "height gain k_z", default=0.02)
    climb_rate_gain: Parameter = parameter("rad s/m", "climb rate gain k_w", default=0.02)
    max_cyclic: Parameter = parameter("rad", "largest cyclic pitch", default=0.01, finite=False)
    max_collective: Parameter = parameter(
        "rad", "largest change of the collective", default=0.05, finite=False
    )

    @property
    def valid_until(self) -> float:
        return min(super().valid_until, float(self.times[-1]))

    def commands(self, t, motion) -> Controls:
        """Controls from schedule and pilot."""
        base = self.schedule(t)

        def reference(s):
            return interpolate(self.times, self.reference, s)

        position, rate = jax.jvp(reference, (jnp.asarray(t, float),), (jnp.ones(()),))
        authority = interpolate(self.times, self.authority, t)
        velocity = motion.rotation @ motion.velocity
        error, drift = motion.position[1:] - position, velocity[1:] - rate
        roll = jnp.arctan2(motion.rotation[2, 1], motion.rotation[2, 2])
        lean = jnp.clip(self.position_gain * error[0] + self.velocity_gain * drift[0], -0.15, 0.15)
        cyclic = self.roll_gain * (lean - roll) - self.rate_gain * motion.spin[0]
        cyclic = jnp.clip(cyclic, -self.max_cyclic, self.max_cyclic)
        lift = -self.height_gain * error[1] - self.climb_rate_gain * drift[1]
        lift = jnp.clip(lift, -self.max_collective, self.max_collective)
        return Controls(
            speed=base.speed,
            collective=base.collective + authority * lift,
            cyclic=base.cyclic + authority * cyclic,
            azimuth=jnp.pi / 2,
        )
