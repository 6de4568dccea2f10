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

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

State = dict[str, Any]
GONE = 1e-3  # fraction of the peak power of a contact at which the sum ends after separation


def has_contact_signals(reading: dict[str, jax.Array]) -> bool:
    """Return whether the measurement contains penetration and contact energy."""
    return {"penetration", "contact_energy"} <= set(reading)


def init(velocity: Float[Array, "*n"]) -> State:
    """Return the state before the first contact."""
    zero, no = jnp.zeros(()), jnp.array(False)
    return {"work": zero, "taken": zero, "largest": zero, "counted": no, "apart": ~no, "velocity": velocity}


def step(
    dt: float, x: State, force: Float[Array, "*#n"], velocity: Float[Array, "*n"], depth: jax.Array
) -> State:
    """Return the state after a tick under a held force [N], with velocity [m/s] and penetration [m] at its end."""
    apart = jnp.all(depth < 0)
    begins = x["apart"] & ~apart
    counted = x["counted"] | begins
    work = jnp.where(begins, 0.0, x["work"])
    # power is linear over the tick; the smallest work may be where it changes sign
    p0, p1 = (jnp.where(counted, jnp.sum(force * v), 0.0) for v in (x["velocity"], velocity))
    turns = (p0 < 0) & (p1 > 0)
    least = work - jnp.where(turns, dt * p0**2 / (2 * jnp.where(turns, p1 - p0, 1.0)), 0.0)
    work = work + dt * (p0 + p1) / 2
    largest = jnp.maximum(jnp.where(begins, 0.0, x["largest"]), jnp.abs(p1))
    return {
        "work": work,
        "taken": jnp.maximum(x["taken"], -jnp.minimum(least, work)),
        "largest": largest,
        "counted": counted & (~apart | (p1 > GONE * largest)),
        "apart": apart,
        "velocity": velocity,
    }


def gain(x: State) -> Float[Array, ""]:
    """Return the energy returned beyond the energy received, divided by the largest received; zero in contact."""
    over = x["apart"] & (x["taken"] > 0)
    return jnp.where(over, jnp.maximum(x["work"], 0.0) / jnp.where(over, x["taken"], 1.0), 0.0)
