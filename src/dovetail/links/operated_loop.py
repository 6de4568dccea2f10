"""Hybrid loop with tunable parameters that the operator changes while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.block import Time
from dovetail.core.system import Signals, System
from dovetail.links.remote_rig import RequestedValues
from dovetail.testing import paths
from dovetail.testing.hybrid_loop import HybridLoop, HybridState
from dovetail.testing.operator import Tunable

T = TypeVar("T")


class OperatedState(eqx.Module):
    """State of the loop, present values of the tunable parameters, and the last two commands."""

    loop: HybridState
    values: jax.Array  # in the order of `tunable`
    commands: tuple[jax.Array, jax.Array]  # last one first
    last_call: jax.Array


class OperatedLoop(System):
    """Hybrid loop that reads the requested values in every tick and moves the parameters towards them."""

    loop: HybridLoop
    tunable: dict[str, Tunable]
    requests: RequestedValues

    def start(self) -> tuple[OperatedState, Signals]:
        state, shown = self.loop.start()
        values = jnp.asarray([jnp.max(paths.get(self.loop, path)) for path in self.tunable], dtype=float)
        command = shown["command"]
        return OperatedState(state, values, (command, command), jnp.zeros((), dtype=int)), shown

    def step(self, t: Time, h: Time, x: OperatedState) -> tuple[OperatedState, Signals]:
        loop, values, call = self.loop, x.values, x.last_call
        if self.tunable:
            call, requested = self.requests.read(call)
            values = jnp.stack(
                [
                    each.step_towards(values[i], requested[i], h)
                    for i, each in enumerate(self.tunable.values())
                ]
            )
            loop = paths.replace_all(loop, {path: values[i] for i, path in enumerate(self.tunable)})
        state, shown = loop.step(t, h, x.loop)
        if self.tunable:
            shown = {**shown, "tunable_values": values}
        return OperatedState(state, values, (shown["command"], x.commands[0]), call), shown

    def compute(self, work: Callable[[], T]) -> T:
        return self.loop.compute(work)

    def settle(self, x: OperatedState, code: jax.Array) -> OperatedState:
        return OperatedState(self.loop.settle(x.loop, code), x.values, x.commands, x.last_call)
