"""Static friction: the actuator sticks briefly at each reversal."""

from __future__ import annotations

import jax.numpy as jnp

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer, unit_gain
from dovetail.transfer.linear import LinearTransfer


@kind("stiction")
class Stiction(Transfer):
    r"""Static friction: sticks at each reversal until the demand is `breakaway` ahead, then recovers.

    The controller must build up an error before its drive overcomes the static friction of the mechanism. Once the
    actuator moves, it recovers quickly [Wallace 2006, sec. 2.3.4, 3.4]. With the gap :math:`g = u - y`:

    - stuck (initially and from each reversal of u on): y is constant until :math:`|g|` exceeds `breakaway`;
    - moving: y moves with u, and the gap closes as :math:`\dot g = -g/\text{recovery}`.

    At the peaks of a sine of amplitude A the actuator sticks for :math:`\sqrt{2b/A}/\omega` (b the breakaway, small):
    longest at low frequency and low amplitude, as observed. At zero crossings of the signal the gap has closed, so the
    delay there is that of the other actuator parts at every frequency. Backlash, in contrast, lags by its width all the
    time.

    A demand that fluctuates by less than `breakaway` does not move the actuator. Therefore add measurement noise after
    this part, not before it. The derivative does not include the switching.
    """

    breakaway: Parameter = parameter("m", "error at which the actuator breaks away", at_least=0.0)
    recovery: Parameter = parameter("s", "time in which the gap closes by 63 %", default=2e-3, above=0.0)

    def init(self) -> State:
        zero = jnp.zeros(self.shape)
        return {"input": zero, "output": zero, "direction": zero, "stuck": jnp.ones(self.shape, bool)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        u = jnp.asarray(u, float)
        increment = u - x["input"]
        was_stuck = x["stuck"] | (increment * x["direction"] < 0)
        stuck = was_stuck & (jnp.abs(u - x["output"]) <= self.breakaway)
        gap = jnp.where(was_stuck, u, x["input"]) - x["output"]  # full gap at breakaway
        y = jnp.where(stuck, x["output"], u - gap * jnp.exp(-dt / self.recovery))
        direction = jnp.where(increment != 0, jnp.sign(increment), x["direction"])
        return {"input": u, "output": y, "direction": direction, "stuck": stuck}, y

    def linear(self) -> LinearTransfer:
        return unit_gain("static friction replaced by unit gain (it acts at reversals only)")
