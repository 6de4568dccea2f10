r"""Transfer parts as equations: what actuator and sensor do between the ticks of a sampled loop.

A part that is an equation, or a formula without memory, has a `Follower`: a flow whose input and output are a
signal together with as many of its rates as are known (value, rate, acceleration). A motion has all three,
since a specimen may feel each of them; a measured force only its value. Rates pass through formulas by the
chain rule, so a limit stops the motion and a rounding, whose derivative is taken as one, leaves the speed alone.

Parts that act at ticks (noise, a converter's hold) or look back in time (a delay) have none.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Flow
from dovetail.core.block import Block, State, Time

Signal = tuple[jax.Array, ...]  # a value and as many of its rates as are known


class Follower(Flow):
    """A transfer part in continuous time; input and output are a `Signal`."""

    @abstractmethod
    def steady(self, u: Signal) -> State:
        """The state once a signal of this value and constant rate has been followed for long."""

    @abstractmethod
    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        """The state after h [s] in which the input goes straight from `start` to `end`, by any h."""


class LagFollower(Follower):
    r"""A lag of first or second order, its output the first state.

    With :math:`T = 2\zeta/\omega` (or tau) a steady ramp of slope s is followed T s behind.
    """

    part: Block  # steps exactly over a ramp; its state is ours and the last input

    @property
    @abstractmethod
    def behind(self) -> jax.Array:
        """How late a steady ramp is followed [s]."""

    def steady(self, u):
        value, rate = u[0], u[1] if len(u) > 1 else jnp.zeros_like(u[0])
        gain = self.part.gain
        return (gain * (value - self.behind * rate), gain * rate)[: len(self.init())]

    def init(self):
        return self.part.init()[:-1]

    def coast(self, t, h, x, start, end):
        return self.part.step(t, h, (*x, start), end)[0][:-1]


class FirstOrder(LagFollower):
    """tau dy/dt = g u - y."""

    @property
    def behind(self):
        return self.part.tau

    def derivative(self, t, x, u):
        return ((self.part.gain * u[0] - x[0]) / self.part.tau,)

    def output(self, t, x, u):
        (rate,) = self.derivative(t, x, u)
        further = ((self.part.gain * u[1] - rate) / self.part.tau,) if len(u) > 1 else ()
        return (x[0], rate, *further)


class SecondOrder(LagFollower):
    """y'' + 2 zeta omega y' + omega^2 y = omega^2 g u."""

    @property
    def behind(self):
        return 2 * self.part.damping / self.part.omega

    def derivative(self, t, x, u):
        y, v = x
        w, zeta = self.part.omega, self.part.damping
        return v, w**2 * (self.part.gain * u[0] - y) - 2 * zeta * w * v

    def output(self, t, x, u):
        return *x, self.derivative(t, x, u)[1]


class Formula(Follower):
    """A part without memory: what it makes of the value, and of the rates by the chain rule."""

    part: Any  # with `through(t, u)`

    def init(self):
        return ()

    def steady(self, u):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return self.part.with_rates(jnp.asarray(t, float), u)

    def coast(self, t, h, x, start, end):
        return ()


def chain_rule(f, t, u: Signal) -> Signal:
    """f(t, u) and its rates in time, as many as u has."""
    if len(u) == 1:
        return (f(t, u[0]),)
    if len(u) == 2:
        return jax.jvp(f, (t, u[0]), (jnp.ones_like(t), u[1]))

    def rate(t, value, slope):
        return jax.jvp(f, (t, value), (jnp.ones_like(t), slope))

    (value, slope), (_, bend) = jax.jvp(rate, (t, u[0], u[1]), (jnp.ones_like(t), u[1], u[2]))
    return value, slope, bend


class FollowerChain(Follower):
    """Followers one after another."""

    parts: tuple[Follower, ...]

    def init(self):
        return tuple(part.init() for part in self.parts)

    def steady(self, u):
        states = []
        for part in self.parts:
            states.append(part.steady(u))
            u = part.output(jnp.zeros(()), states[-1], u)
        return tuple(states)

    def derivative(self, t, x, u):
        rates = []
        for i, (part, state) in enumerate(zip(self.parts, x, strict=True)):
            u = self.parts[i - 1].output(t, x[i - 1], u) if i else u
            rates.append(part.derivative(t, state, u))
        return tuple(rates)

    def output(self, t, x, u):
        for part, state in zip(self.parts, x, strict=True):
            u = part.output(t, state, u)
        return u

    def coast(self, t, h, x, start, end):
        states = []
        for part, state in zip(self.parts, x, strict=True):
            states.append(part.coast(t, h, state, start, end))
            start, end = part.output(t, state, (start,))[0], part.output(t + h, states[-1], (end,))[0]
        return tuple(states)
