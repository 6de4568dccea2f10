"""Static friction: an actuator that sticks for a moment at every turning point."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("stiction")
class Stiction(Transfer):
    r"""Holds at each reversal until the demand is `breakaway` ahead, then catches up with it.

    The controller must build up an error before its drive overcomes the static friction of the mechanism;
    once it moves, synchronisation is quickly regained [Wallace 2006, sec. 2.3.4, 3.4]. So, with the gap
    :math:`g = u - y`:

    - stuck (from the start and from every reversal of u on): y stays, until :math:`|g|` exceeds `breakaway`;
    - moving: y moves with u, and the gap closes as :math:`\dot g = -g/\text{recovery}`.

    At the tips of a sine of amplitude A it sticks for :math:`\sqrt{2b/A}/\omega` (b the breakaway, small):
    worst at low frequency and low amplitude, as observed. Where the signal passes zero the gap has closed, so
    the delay seen there is that of the rest of the actuator at every frequency. This is what sets it apart
    from play (backlash), which lags by its width all the way.

    A demand that trembles by less than `breakaway` does not move it: put measurement noise after it, not
    before. The derivative does not see the switching.
    """

    breakaway: jax.Array = parameter("m", "error at which the actuator breaks away", at_least=0.0)
    recovery: jax.Array = parameter("s", "time in which the gap closes by 63 %", default=2e-3, above=0.0)

    def init(self) -> State:
        zero = jnp.zeros(self.shape)
        return {"input": zero, "output": zero, "direction": zero, "stuck": jnp.ones(self.shape, bool)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        u = jnp.asarray(u, float)
        moved = u - x["input"]
        was_stuck = x["stuck"] | (moved * x["direction"] < 0)
        stuck = was_stuck & (jnp.abs(u - x["output"]) <= self.breakaway)
        gap = jnp.where(was_stuck, u, x["input"]) - x["output"]  # breaking away it is the whole gap
        y = jnp.where(stuck, x["output"], u - gap * jnp.exp(-dt / self.recovery))
        direction = jnp.where(moved != 0, jnp.sign(moved), x["direction"])
        return {"input": u, "output": y, "direction": direction, "stuck": stuck}, y

    def linear(self) -> LinearTransfer:
        return unit_gain("static friction taken as unit gain: it acts at turning points only")
