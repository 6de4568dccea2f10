r"""A rotor flown by a simple pilot: hold a place, descend, let go.

The pilot is a set of linear rules on what he sees. In the plane across the flight direction, with the error of place
:math:`e = y - y_{ref}(t)`,

.. math:: \varphi_{ref} = k_y e + k_v \dot e, \qquad
          \theta_c = k_\varphi(\varphi_{ref} - \varphi) - k_p\,p, \qquad
          \theta_0 = \theta_{trim} - k_z(z - z_{ref}) - k_w(\dot z - \dot z_{ref})

(port side up moves the aircraft to starboard). The cyclic acts at an azimuth of 90 degrees. All of it is faded by
 `engaged`, a table in time, so that on deck nothing is commanded but the schedule's own pitch.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.rotor_on_body import RotorOnBody
from dovetail.core import kind, parameter
from dovetail.core.name_lookup import linear


@kind("piloted-rotor")
class PilotedRotor(RotorOnBody):
    """A rotor whose schedule is trimmed by a pilot; `reference` has rows of port and height [m]."""

    times: jax.Array = parameter("s", "of the reference and the engagement", default=(0.0, 1.0))
    reference: jax.Array = parameter("m", "port and up for each time", default=((0.0, 1.0), (0.0, 1.0)))
    engaged: jax.Array = parameter("1", "share of the pilot's commands for each time", default=(1.0, 1.0))
    place_gain: jax.Array = parameter("rad/m", "k_y", default=0.06)
    drift_gain: jax.Array = parameter("rad s/m", "k_v", default=0.09)
    roll_gain: jax.Array = parameter("1", "k_phi", default=0.012)
    rate_gain: jax.Array = parameter("s", "k_p", default=0.006)
    height_gain: jax.Array = parameter("rad/m", "k_z", default=0.02)
    climb_gain: jax.Array = parameter("rad s/m", "k_w", default=0.02)
    most_cyclic: jax.Array = parameter("rad", "largest cyclic pitch", default=0.01)
    most_collective: jax.Array = parameter("rad", "largest change of the collective", default=0.05)

    @property
    def ends(self) -> float:
        return min(super().ends, float(self.times[-1]))

    def commands(self, t, motion) -> Controls:
        """What the schedule and the pilot set together."""
        base = self.schedule(t)

        def wanted(s):
            return linear(self.times, self.reference, s)

        place, rate = jax.jvp(wanted, (jnp.asarray(t, float),), (jnp.ones(()),))
        share = linear(self.times, self.engaged, t)
        velocity = motion.rotation @ motion.velocity
        error, drift = motion.position[1:] - place, velocity[1:] - rate
        roll = jnp.arctan2(motion.rotation[2, 1], motion.rotation[2, 2])
        lean = jnp.clip(self.place_gain * error[0] + self.drift_gain * drift[0], -0.15, 0.15)
        cyclic = self.roll_gain * (lean - roll) - self.rate_gain * motion.spin[0]
        cyclic = jnp.clip(cyclic, -self.most_cyclic, self.most_cyclic)
        lift = -self.height_gain * error[1] - self.climb_gain * drift[1]
        lift = jnp.clip(lift, -self.most_collective, self.most_collective)
        return Controls(
            speed=base.speed,
            collective=base.collective + share * lift,
            cyclic=base.cyclic + share * cyclic,
            azimuth=jnp.pi / 2,
        )
