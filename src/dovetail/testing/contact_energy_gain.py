r"""Contact energy gain: energy that a contact returns beyond the energy it received, caused by delay or a low rate.

No contact law returns more energy than it received. A force that is held over a tick or delayed by the rig adds
energy: to first order :math:`\tau/m \int F^2\,dt` in each contact, with the lag :math:`\tau`. The energy transferred
to the simulation is exact, because the force is held,

.. math:: W = \sum_k F_k^T\,\tfrac12 (v_k + v_{k+1})\,\Delta t .

The sum starts at the beginning of each contact. It ends after separation, when the power of the force remaining in a
delayed sensor has fallen to a thousandth of its peak. Sensor noise or offset without contact is not counted. After
separation W must not be positive. The gain is W divided by the largest energy that any contact has received so far, so
that a slight contact in the noise of a sensor does not count. It is monitored if the specimen outputs penetration and
contact energy. Accuracy: exact for free or heavy bodies; otherwise of second order in the tick.
"""

from __future__ import annotations

from collections.abc import Container

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core.block import Time

END_POWER = 1e-3  # fraction of the peak power of a contact at which the sum ends after separation


def has_contact_signals(shown: Container[str]) -> bool:
    """Return whether the signals contain penetration and contact energy."""
    return "penetration" in shown and "contact_energy" in shown


class ContactGainState(eqx.Module):
    """Energy balance of the current contact, and the largest energy that any contact has received."""

    work: Float[Array, ""]  # [J] transferred to the simulation in this contact
    received: Float[Array, ""]  # [J] largest energy received by a contact so far
    peak_power: Float[Array, ""]  # [W] of this contact
    counted: Bool[Array, ""]  # whether the sum continues
    apart: Bool[Array, ""]
    velocity: Float[Array, "*n"]  # [m/s] of the last sample

    @classmethod
    def apart_at(cls, velocity: Float[Array, "*n"]) -> ContactGainState:
        """Return the state before the first contact."""
        zero, no = jnp.zeros(()), jnp.array(False)
        return cls(zero, zero, zero, no, ~no, velocity)

    def step(
        self,
        h: Time,
        force: Float[Array, "*#n"],
        velocity: Float[Array, "*n"],
        penetration: Float[Array, "*k"],
    ) -> ContactGainState:
        """Return the state after a step under a force [N], with velocity [m/s] and penetration [m] at its end."""
        apart = jnp.all(penetration < 0)
        begins = self.apart & ~apart
        counted = self.counted | begins
        work = jnp.where(begins, 0.0, self.work)
        # power is linear over the step; the smallest work may be where it changes sign
        p0, p1 = (jnp.where(counted, jnp.sum(force * v), 0.0) for v in (self.velocity, velocity))
        turns = (p0 < 0) & (p1 > 0)
        least = work - jnp.where(turns, h * p0**2 / (2 * jnp.where(turns, p1 - p0, 1.0)), 0.0)
        work = work + h * (p0 + p1) / 2
        peak_power = jnp.maximum(jnp.where(begins, 0.0, self.peak_power), jnp.abs(p1))
        received = jnp.maximum(self.received, -jnp.minimum(least, work))
        counted = counted & (~apart | (p1 > END_POWER * peak_power))
        return ContactGainState(work, received, peak_power, counted, apart, velocity)

    @property
    def gain(self) -> Float[Array, ""]:
        """Energy returned beyond the energy received, divided by the largest received; zero in contact."""
        over = self.apart & (self.received > 0)
        return jnp.where(over, jnp.maximum(self.work, 0.0) / jnp.where(over, self.received, 1.0), 0.0)
