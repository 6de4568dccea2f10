r"""Continuous-time models of transfer parts: actuator and sensor behaviour between the ticks of a sampled loop.

A part that is a differential equation, or a formula without memory, has a `Follower`: a flow whose input and output are
a signal together with its available rates (value, rate, acceleration). A motion has all three, because a specimen may
depend on each of them; a measured force has the value only. Rates pass through formulas by the chain rule: a limit
stops the motion, and a rounding, whose derivative is taken as one, does not change the speed.

Parts that act at ticks (noise, the hold of a converter) or use past values (a delay) have no continuous-time model.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Flow, Input, Output
from dovetail.core.block import State, Time

Signal = tuple[jax.Array, ...]  # a value and its available rates


class Follower(Flow):
    """Continuous-time model of a transfer part; input and output are a `Signal`."""

    @abstractmethod
    def steady(self, u: Signal) -> State:
        """Steady state for an input with this value and constant rate."""

    @abstractmethod
    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        """State after h [s] with an input that changes linearly from `start` to `end`; exact for any h."""


class LagFollower(Follower):
    r"""Base of lags of first and second order; the output is the first state.

    With :math:`T = 2\zeta/\omega` (or tau) the output is T s below a steady ramp of slope s.
    """

    part: Any  # block, exact for a ramp; its state is this state and the last input

    @property
    @abstractmethod
    def ramp_delay(self) -> jax.Array:
        """Delay behind a steady ramp [s]."""

    def steady(self, u: Signal) -> State:
        value, rate = u[0], u[1] if len(u) > 1 else jnp.zeros_like(u[0])
        gain = self.part.gain
        return (gain * (value - self.ramp_delay * rate), gain * rate)[: len(self.init())]

    def init(self) -> State:
        return self.part.init()[:-1]

    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        return self.part.step(t, h, (*x, start), end)[0][:-1]


class FirstOrder(LagFollower):
    """First-order lag, tau dy/dt = g u - y."""

    @property
    def ramp_delay(self) -> jax.Array:
        tau: jax.Array = self.part.tau
        return tau

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return ((self.part.gain * u[0] - x[0]) / self.part.tau,)

    def output(self, t: Time, x: State, u: Input) -> Output:
        (rate,) = self.derivative(t, x, u)
        further = ((self.part.gain * u[1] - rate) / self.part.tau,) if len(u) > 1 else ()
        return (x[0], rate, *further)


class SecondOrder(LagFollower):
    """Second-order lag, y'' + 2 zeta omega y' + omega^2 y = omega^2 g u."""

    @property
    def ramp_delay(self) -> jax.Array:
        delay: jax.Array = 2 * self.part.damping / self.part.omega
        return delay

    def derivative(self, t: Time, x: State, u: Input) -> State:
        y, v = x
        w, zeta = self.part.omega, self.part.damping
        return v, w**2 * (self.part.gain * u[0] - y) - 2 * zeta * w * v

    def output(self, t: Time, x: State, u: Input) -> Output:
        return *x, self.derivative(t, x, u)[1]


class Formula(Follower):
    """Part without memory: output value, and output rates by the chain rule."""

    part: Any  # with `apply(t, u)`

    def init(self) -> State:
        return ()

    def steady(self, u: Signal) -> State:
        return ()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return ()

    def output(self, t: Time, x: State, u: Input) -> Output:
        return self.part.with_rates(jnp.asarray(t, float), u)

    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        return ()


def chain_rule(f: Callable[[Time, jax.Array], jax.Array], t: Time, u: Signal) -> Signal:
    """Return f(t, u) and its time rates, as many as u has."""
    if len(u) == 1:
        return (f(t, u[0]),)
    if len(u) == 2:
        return jax.jvp(f, (t, u[0]), (jnp.ones_like(t), u[1]))

    def rate(t: Time, value: jax.Array, slope: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.jvp(f, (t, value), (jnp.ones_like(t), slope))

    (value, slope), (_, bend) = jax.jvp(rate, (t, u[0], u[1]), (jnp.ones_like(t), u[1], u[2]))
    return value, slope, bend


class FollowerChain(Follower):
    """Continuous-time models in series."""

    parts: tuple[Follower, ...]

    def init(self) -> State:
        return tuple(part.init() for part in self.parts)

    def steady(self, u: Signal) -> State:
        states = []
        for part in self.parts:
            states.append(part.steady(u))
            u = part.output(jnp.zeros(()), states[-1], u)
        return tuple(states)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        rates = []
        for i, (part, state) in enumerate(zip(self.parts, x, strict=True)):
            u = self.parts[i - 1].output(t, x[i - 1], u) if i else u
            rates.append(part.derivative(t, state, u))
        return tuple(rates)

    def output(self, t: Time, x: State, u: Input) -> Output:
        for part, state in zip(self.parts, x, strict=True):
            u = part.output(t, state, u)
        return u

    def coast(self, t: Time, h: Time, x: State, start: jax.Array, end: jax.Array) -> State:
        states = []
        for part, state in zip(self.parts, x, strict=True):
            states.append(part.coast(t, h, state, start, end))
            start, end = part.output(t, state, (start,))[0], part.output(t + h, states[-1], (end,))[0]
        return tuple(states)
