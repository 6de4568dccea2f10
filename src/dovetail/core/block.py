"""The one contract: parameters in the object, state in the hand.

A `Flow` is something continuous: its equation, and what it shows. A `Block` is something sampled: it
advances over [t, t + dt]. `Sampled` turns a flow into a block. Argument order is always time, step,
state, input. Nothing here keeps hidden state, so the same object serves one run, a batch, a stability
analysis and the real-time loop.

Inputs, states and outputs are pytrees: an array, or a dictionary of named signals (see `signals.toml`).
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.errors import AnalysisError
from dovetail.core.parameter import check, count

Time = Any  # a float or a scalar array [s]
State = Any  # a pytree
Input = Any  # a pytree, held over the step
Output = Any  # a pytree


class Part(eqx.Module):
    """What `Block` and `Flow` share: checked parameters and shapes fixed at build."""

    ONE_KIND: ClassVar[bool] = False  # the only class of its family, so that files need not say its kind
    references: ClassVar[dict[str, str]] = {}  # key of a source: what is from there

    def __check_init__(self):
        check(self)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """This part with its shapes fixed for steps of `dt` [s] and interface signals of `shape`.

        By default its parts' shapes are fixed. Only parts whose state has the shape of the signal, or
        whose buffer depends on the step, say more. The loop calls this once, with concrete values, before
        anything is compiled.
        """
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}
        sized = {name: _sampled_at(value, dt, shape) for name, value in values.items()}
        changed = {name: value for name, value in sized.items() if value is not values[name]}
        return dataclasses.replace(self, **changed) if changed else self

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import part_html

        return part_html(self)


def _sampled_at(value: Any, dt: float, shape: tuple[int, ...]) -> Any:
    if isinstance(value, Part):
        return value.sampled_at(dt, shape)
    if isinstance(value, tuple | list) and any(isinstance(v, Part) for v in value):
        return type(value)(_sampled_at(v, dt, shape) for v in value)
    if isinstance(value, dict) and any(isinstance(v, Part) for v in value.values()):
        return {key: _sampled_at(v, dt, shape) for key, v in value.items()}
    return value


class Block(Part):
    """Something sampled: advance over [t, t + dt], and show the output at t + dt.

    The input is the value at t + dt where a part passes it straight through, and is held over the step
    where it drives an equation; the conventions page draws which sample is held.
    """

    @abstractmethod
    def init(self) -> State:
        """State at rest, before the first step."""

    @abstractmethod
    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        """State and output at t + dt."""


class Flow(Part):
    """Something continuous: its equation, and what it shows.

    A flow of many hundred operations says `large`: a method then evaluates its stages in a loop, so that the
    equation is compiled once and not once for each of them.
    """

    large: ClassVar[bool] = False

    @abstractmethod
    def init(self) -> State:
        """State at the start."""

    @abstractmethod
    def derivative(self, t: Time, x: State, u: Input) -> State:
        """Rate of change of the state, a pytree of the state's structure."""

    @abstractmethod
    def output(self, t: Time, x: State, u: Input) -> Output:
        """What the flow shows at t."""

    @property
    def jumps(self) -> bool:
        """Whether the state jumps at all; what never does costs nothing."""
        return type(self).jump is not Flow.jump

    def jump(self, t: Time, x: State, u: Input) -> State:
        """The state at the end of a step, after what the equation does not hold: a speed that is latched.

        `Method.advance` applies it after every step. What is remembered by a jump needs no lag that would
        have to be integrated, so no step is too long for it.
        """
        return x


class Method(eqx.Module):
    """A fixed-step integration method: a rule that carries the state of a flow over one step.

    `memory` is what a multi-step method remembers (a pytree, empty for one-step methods).
    """

    contact: ClassVar[bool] = False  # whether it keeps account of contacts, by a flow's `settled`

    def init(self, flow: Flow, x: State) -> Any:
        """Memory before the first step."""
        return ()

    @abstractmethod
    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        """State at t + dt and the next memory, under the input `u` held over the step."""

    def advance(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        """`step`, and the flow's jump at its end."""
        x, memory = self.step(flow, t, dt, x, u, memory)
        return flow.jump(t + dt, x, u) if flow.jumps else x, memory

    def amplification(self, z: Any) -> Any:
        """Growth of a step for z = h lambda; its stability bound follows from it."""
        raise AnalysisError(
            f"{type(self).__name__} has no method `amplification(z)`, so its stability bound is not known; "
            "add one that returns the growth of a step for z = h lambda"
        )


class Sampled(Block):
    """A flow advanced by a fixed-step method with its input held: `Sampled(flow, RK4(), substeps=4)`."""

    flow: Flow
    method: Method
    substeps: int = count("equal steps inside one step of the block", default=1, at_least=1)

    def init(self) -> State:
        x = self.flow.init()
        return x, self.method.init(self.flow, x)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        h = dt / self.substeps
        inner, memory = x

        def advance(carry, i):
            return self.method.advance(self.flow, t + i * h, h, carry[0], u, carry[1]), None

        if self.substeps == 1:
            (inner, memory), _ = advance((inner, memory), 0)
        else:
            (inner, memory), _ = jax.lax.scan(advance, (inner, memory), jnp.arange(self.substeps))
        return (inner, memory), self.flow.output(t + dt, inner, u)
