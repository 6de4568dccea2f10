r"""Energy that a contact gives back beyond what it took: created by a loop that is late or too coarse for it.

No contact law gives back more than it took. A force that is held over a tick, or comes through a late rig, does:
to first order :math:`\tau/m \int F^2\,dt` in each contact, with the lag :math:`\tau`. What the simulation
receives is known exactly, as its force is held,

.. math:: W = \sum_k F_k^T\,\tfrac12 (v_k + v_{k+1})\,\Delta t ,

counted anew from the beginning of each contact until the force that it left in a late sensor has gone: until its
power after parting has fallen to a thousandth of its largest. What a sensor shows of noise or offset while nothing
touches is no contact's. Once the bodies are apart W must not be above zero; the gain is W over the most energy that
any contact has taken so far, so that a graze in the noise of a sensor does not count. Watched where the specimen shows
the depth and the energy of its contact. Limit: exact for bodies that are free or heavy; where others act on them within
a tick, to second order in the tick.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

State = dict[str, Any]
GONE = 1e-3  # of the largest power of a contact: less than that after parting is no longer its own


def shows_contact(reading: dict[str, jax.Array]) -> bool:
    """Whether there is a contact to watch."""
    return {"depth", "contact_energy"} <= set(reading)


def init(velocity: Float[Array, "*n"]) -> State:
    """Apart, and nothing taken yet."""
    zero, no = jnp.zeros(()), jnp.array(False)
    return {"work": zero, "taken": zero, "largest": zero, "counted": no, "apart": ~no, "velocity": velocity}


def step(
    dt: float, x: State, force: Float[Array, "*#n"], velocity: Float[Array, "*n"], depth: jax.Array
) -> State:
    """The account after a tick under a held force [N], from the velocity [m/s] and depth [m] at its end."""
    apart = jnp.all(depth < 0)
    begins = x["apart"] & ~apart
    counted = x["counted"] | begins
    work = jnp.where(begins, 0.0, x["work"])
    # power is straight from the start of the tick to its end; the least work may lie where it changes sign
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
    """What was given beyond what was taken, as a share of the most that was taken; zero in contact."""
    over = x["apart"] & (x["taken"] > 0)
    return jnp.where(over, jnp.maximum(x["work"], 0.0) / jnp.where(over, x["taken"], 1.0), 0.0)
