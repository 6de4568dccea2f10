"""Flows with another interface: a flow as a sampled block, and flows whose input is computed."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax

from dovetail.core.block import Block, Flow, Input, Method, Output, State, Time, repeat
from dovetail.core.parameter import count


class Sampled(Block):
    """Flow advanced by a fixed-step method with its input held: `Sampled(flow, RK4(), substeps=4)`."""

    flow: Flow
    method: Method
    substeps: int = count("equal integration steps in one step of the block", default=1, at_least=1)

    def init(self) -> State:
        x = self.flow.init()
        return x, self.method.init(self.flow, x)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        h = dt / self.substeps

        def advance(x: State, i: Any) -> State:
            return self.method.advance(self.flow, t + i * h, h, x[0], u, x[1])

        x = repeat(advance, x, self.substeps)
        return x, self.flow.output(t + dt, x[0], u)


class WithInput(Flow):
    """Flow with another input: a subclass computes it from the time and from its own input."""

    flow: Flow

    @abstractmethod
    def input(self, t: Time, u: Input) -> Input:
        """Return the input of the flow at t."""

    @property
    def large(self) -> bool:  # type: ignore[override]  # a class attribute elsewhere
        """True if the flow is large."""
        return self.flow.large

    @property
    def jumps(self) -> bool:
        """True if the flow has jumps."""
        return self.flow.jumps

    def init(self) -> State:
        return self.flow.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.flow.derivative(t, x, self.input(t, u))

    def output(self, t: Time, x: State, u: Input) -> Output:
        return self.flow.output(t, x, self.input(t, u))

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.flow.jump(t, x, self.input(t, u))

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.flow.guards(t, x, self.input(t, u))


class LinearInput(WithInput):
    """Flow with an input that is linear in time between two samples, the first at t and the second dt later."""

    t: Time
    dt: Time
    before: Input
    after: Input

    def input(self, t: Time, u: Input) -> Input:
        fraction = (t - self.t) / self.dt
        return jax.tree.map(lambda a, b: a + fraction * (b - a), self.before, self.after)
