"""Rig on a path: the approach of a real rig to the start of a test, and its return to rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import equinox as eqx
import jax

from dovetail.core.block import State, Time
from dovetail.core.system import Signals, System
from dovetail.testing.rig import AbstractRig

T = TypeVar("T")


class PathState(eqx.Module):
    """State of a rig on a path."""

    rig: State
    last: jax.Array  # [m] last command
    before: jax.Array  # [m] command before it
    reading: Signals  # last measurement


class PathLoop(System):
    """Rig that follows a path in place of a numerical substructure: its approach to a test, and its return to rest."""

    rig: AbstractRig
    path: Callable[[Time], jax.Array]  # command [m] at a time [s]
    initial: PathState

    def start(self) -> tuple[PathState, Signals]:
        x = self.initial
        return x, self._signals(1.0, x.last, x, x.reading)

    def step(self, t: Time, h: Time, x: PathState) -> tuple[PathState, Signals]:
        command = self.rig.compute(lambda: self.path(t + h))
        rig, reading = self.rig.step(t, h, x.rig, command)
        shown = self.rig.compute(lambda: self._signals(h, command, x, reading))
        last = {name: reading[name] for name in x.reading}
        return PathState(rig, command, x.last, last), shown

    def _signals(self, h: Time, command: jax.Array, x: PathState, reading: Signals) -> Signals:
        motion = {
            "displacement": command,
            "velocity": (command - x.last) / h,
            "acceleration": (command - 2 * x.last + x.before) / h**2,
        }
        return {**motion, "command": command, **reading}

    def compute(self, work: Callable[[], T]) -> T:
        return self.rig.compute(work)

    def settle(self, x: PathState, code: jax.Array) -> PathState:
        return PathState(self.rig.settle(x.rig, code), x.last, x.before, x.reading)
