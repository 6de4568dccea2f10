"""Systems: what `advance` moves through time, from sample to sample.

A hybrid loop, the approach path of a rig, a coupled reference system, a docking and a towed rope are systems. As in
`core.block`, the parameters are in the object and the state is passed as an argument.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
from jax import Array

from dovetail.core import roles
from dovetail.core.block import Flow, Input, Method, Part, State, Time, repeat
from dovetail.core.parameter import count

T = TypeVar("T")
Signals = dict[str, Any]  # named values at one time


class System(Part):
    """System that is advanced from sample to sample.

    `step` is pure. It uses operations that can be exported, and no callback inside a part.
    """

    @abstractmethod
    def start(self) -> tuple[State, Signals]:
        """Return state and signals at t = 0."""

    @abstractmethod
    def step(self, t: Time, h: Time, x: State) -> tuple[State, Signals]:
        """Return state and signals at t + h."""

    def compute(self, work: Callable[[], T]) -> T:
        """Return the result of the work between two calls out of the loop.

        The loop of a real rig keeps this work in one compiled function.
        """
        return work()

    def settle(self, x: State, code: Array) -> State:
        """Return the state after the monitor has checked the sample; `code` above zero ends the run.

        A real rig is sent to its safe state here, in the same sample.
        """
        return x

    def adapt(self, x: State) -> tuple[System, State] | None:
        """Return the system and the state to continue with if the structure changes between two chunks, or None."""
        return None


class FlowSystem(System):
    """Flow with its input held at a constant value: a simulation, a reference solution, a coupled study."""

    flow: Flow
    method: Method
    substeps: int = count("equal integration steps in a sample", default=1, at_least=1)
    held: Input = None  # input of the flow
    initial: State = None  # state of the flow at t = 0; default: `flow.init()`
    # signals, from flow, time and state; default: the output of the flow
    shown: Callable[[Any, Any, Any], Signals] | None = eqx.field(default=None, static=True)

    def start(self) -> tuple[State, Signals]:
        x = self.flow.init() if self.initial is None else self.initial
        state = (x, self.method.init(self.flow, x))
        return state, self.signals(0.0, state)

    def step(self, t: Time, h: Time, x: State) -> tuple[State, Signals]:
        part = h / self.substeps

        def advance(state: State, i: Any) -> State:
            return self.method.advance(self.flow, t + i * part, part, state[0], self.held, state[1])

        x = repeat(advance, x, self.substeps)
        return x, self.signals(t + h, x)

    def signals(self, t: Time, state: State) -> Signals:
        """Return the signals of the flow and of the method in a state of the system."""
        x, memory = state
        if self.shown is not None:
            return self.shown(self.flow, t, x)
        shown: Signals = self.flow.output(t, x, self.held)
        own = self.method.signals(memory)
        return {**shown, **own} if own else shown

    def adapt(self, x: State) -> tuple[System, State] | None:
        if not isinstance(self.flow, roles.Adapting):
            return None
        flow, y = self.flow.adapt(x[0])
        if flow is self.flow:
            return None
        return dataclasses.replace(self, flow=flow), (y, self.method.init(flow, y))
