"""Base classes of all parts: parameters in the object, state passed as an argument.

A `Flow` is a continuous system: its differential equation and its outputs. A `Block` is a sampled system: it
advances over [t, t + dt]. Arguments are always in the order time, step, state, input. Parts have no hidden state, so
the same object serves single runs, batches, stability analysis and the real-time loop.

Inputs, states and outputs are pytrees: an array, or a dictionary of named signals (see `signals.toml`).
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.errors import AnalysisError
from dovetail.core.parameter import check

Time = Any  # a float or a scalar array [s]
State = Any  # a pytree
Input = Any  # a pytree, held over the step
Output = Any  # a pytree


class Part(eqx.Module):
    """Base of blocks, flows and other parts: checked parameters, and shapes fixed before compilation."""

    ONE_KIND: ClassVar[bool] = False  # the only class of its family: files may omit `kind`
    references: ClassVar[dict[str, str]] = {}  # key of a source: its content used here

    def __check_init__(self) -> None:
        check(self)

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """Return this part with shapes fixed for steps of `dt` [s] and interface signals of `shape`.

        By default this sets a field `shape`, and applies to the parts inside. Override it in parts whose buffer
        depends on the step. The loop calls it once, with concrete values, before compilation.
        """
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.init}
        sized = {name: _sampled_at(value, dt, shape) for name, value in values.items()}
        if isinstance(values.get("shape"), tuple):
            sized["shape"] = tuple(shape)
        changed = {name: value for name, value in sized.items() if value is not values[name]}
        return dataclasses.replace(self, **changed) if changed else self

    def _repr_html_(self) -> str:
        from dovetail.core.extensions import display

        return str(display("part", self))


def _sampled_at(value: Any, dt: float, shape: tuple[int, ...]) -> Any:
    if isinstance(value, Part):
        return value.with_sample_time(dt, shape)
    if isinstance(value, tuple | list) and any(isinstance(v, Part) for v in value):
        return type(value)(_sampled_at(v, dt, shape) for v in value)
    if isinstance(value, dict) and any(isinstance(v, Part) for v in value.values()):
        return {key: _sampled_at(v, dt, shape) for key, v in value.items()}
    return value


class Block(Part):
    """Sampled system: advances over [t, t + dt] and returns its output at t + dt.

    The input is the value at t + dt for direct feedthrough. An input that drives an equation is held over the step;
    the conventions page shows which sample is held.
    """

    @abstractmethod
    def init(self) -> State:
        """Return the state at rest, before the first step."""

    @abstractmethod
    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        """Return state and output at t + dt."""


class Flow(Part):
    """Continuous system: differential equation and outputs.

    Set `large` for a flow of many hundred operations: a method then evaluates its stages in a loop, and the
    equation is compiled once instead of once for each stage.
    """

    large: ClassVar[bool] = False

    @abstractmethod
    def init(self) -> State:
        """Return the initial state."""

    @abstractmethod
    def derivative(self, t: Time, x: State, u: Input) -> State:
        """Return the rate of change of the state, a pytree with the structure of the state."""

    @abstractmethod
    def output(self, t: Time, x: State, u: Input) -> Output:
        """Return the outputs at t."""

    @property
    def jumps(self) -> bool:
        """Whether the class defines `jump`; without it there is no cost."""
        return type(self).jump is not Flow.jump

    def jump(self, t: Time, x: State, u: Input) -> State:
        """Return the state after discrete changes at the end of a step, such as storing an impact speed.

        `Method.advance` applies it after every step. Values stored by a jump need no differential equation, so
        they do not limit the step.
        """
        return x

    def after_jump(self, t: Time, x: State, u: Input) -> State:
        """Return the state after the jump, and the state itself if there is none."""
        return self.jump(t, x, u) if self.jumps else x

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        """Return the event functions (n,): continuous in time, each zero where the equations change; default: none.

        A method of `core.events` ends its steps where one of them changes sign.
        """
        return jnp.zeros(0)


class Method(eqx.Module):
    """Integration method: advances the state of a flow by one step.

    `memory` is the stored history of a multi-step method (a pytree, empty for one-step methods).
    """

    def init(self, flow: Flow, x: State) -> Any:
        """Return the memory before the first step."""
        return ()

    @abstractmethod
    def step(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        """Return the state at t + dt and the next memory, with the input `u` held over the step."""

    def advance(self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        """Take a step, then apply the flow's jump."""
        x, memory = self.step(flow, t, dt, x, u, memory)
        return flow.after_jump(t + dt, x, u), memory

    def signals(self, memory: Any) -> dict[str, jax.Array]:
        """Return signals of the method itself, such as the number of its steps."""
        return {}

    def amplification(self, z: Any) -> Any:
        """Return the growth factor of a step for z = h lambda; defines the stability bound."""
        raise AnalysisError(
            f"{type(self).__name__}: the stability bound is unknown because the method `amplification(z)` is missing; "
            "add it, returning the growth factor of a step for z = h lambda"
        )


def repeat(step: Callable[[State, Any], State], x: State, count: int) -> State:
    """Return the state after `step(x, i)` for i = 0 to count - 1, compiled once."""
    if count == 1:
        return step(x, 0)
    return jax.lax.scan(lambda x, i: (step(x, i), None), x, jnp.arange(count))[0]


def respond(block: Block, dt: Time, inputs: Input) -> Output:
    """Return the outputs of a block at rest under inputs given at every step (first axis), as one compiled loop."""
    count = jax.tree.leaves(inputs)[0].shape[0]

    def step(x: State, at: tuple[Any, Input]) -> tuple[State, Output]:
        k, u = at
        return block.step(k * dt, dt, x, u)

    return jax.lax.scan(step, block.init(), (jnp.arange(count), inputs))[1]
