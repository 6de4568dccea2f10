"""Clocks: how long the next step is, and who waits for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from dovetail.core import precomputed_inputs
from dovetail.core.block import State, Time
from dovetail.core.parameter import Parameter

T = TypeVar("T")


def as_array(value: Any) -> Any:
    """Return a number as an array, so that programs do not depend on it; on the host without a computation."""
    return value if eqx.is_array(value) else np.asarray(value)


class LoopState(NamedTuple):
    """State of a run: of the system, of the monitor, and what is kept of all samples."""

    k: Int[Array, ""]  # samples since t = 0
    t: Float[Array, ""]  # [s] simulated time
    x: State  # of the system
    monitor: Any  # a `MonitorState`
    kept: Any = ()  # running measures; empty where rows are recorded


class Clock(eqx.Module):
    """Length of the next step, and whether the simulated time waits.

    The loop stops at a limit, at the end, and where the clock waits, except with `Simulated`.
    """

    optimised: ClassVar[bool] = True  # whether the loop is compiled with optimisation, in twice the time

    @abstractmethod
    def interval(self, system: Any, now: LoopState) -> tuple[Time, Time]:
        """Return time and length of the next step [s]."""

    @abstractmethod
    def finished(self, now: LoopState) -> Any:
        """Return whether the end is reached."""

    @abstractmethod
    def fraction(self, now: LoopState) -> float:
        """Return the completed fraction of the run, 0 to 1."""

    def waits(self, system: Any, now: LoopState) -> Any:
        """Return whether the simulated time waits for `between`."""
        return False

    def between(self, system: Any, monitor: Any, now: LoopState) -> tuple[Any, LoopState]:
        """Act on the host before a chunk of samples, for example move a robot cell.

        Return the system and the state to continue with.
        """
        return system, now

    def resume(self, system: Any, monitor: Any, now: LoopState) -> LoopState:
        """Return the state after a wait, with what came in meanwhile; compiled, before the samples of a chunk."""
        return now


class EqualSteps(Clock):
    """Samples every `dt`, up to a number of them."""

    dt: Time  # [s]
    end: Parameter = eqx.field(converter=as_array)  # number of samples

    def interval(self, system: Any, now: LoopState) -> tuple[Time, Time]:
        return now.k * self.dt, self.dt

    def finished(self, now: LoopState) -> Bool[Array, ""]:
        return now.k >= self.end

    def fraction(self, now: LoopState) -> float:
        return min(float(now.k) / float(self.end), 1.0)


class Simulated(EqualSteps):
    """Simulated time, without waiting, in a scan over the numbers of the samples.

    The loop can be differentiated and batched. It continues after a limit and after the end; the host discards these
    samples. With `precompute` costly values that depend on time only are computed before the loop
    (`core.precomputed_inputs`).
    """

    precompute: bool = eqx.field(default=True, static=True)

    def scan(self, body: Callable[[Any, Any], tuple[Any, Any]], state: Any, numbers: Array) -> Any:
        """Return `jax.lax.scan(body, state, numbers)`."""
        scan: Any = precomputed_inputs.scan if self.precompute else jax.lax.scan
        return scan(body, state, numbers)


class Stopping(EqualSteps):
    """Simulated time, in a loop that stops at a limit."""


class WallClock(EqualSteps):
    """Wall clock: the step of the rig waits for the deadline of each sample, in the compiled loop."""


class HostOnly(Generic[T]):
    """Object of the host in a field of a clock. The compiled loop does not use it and is the same for all values."""

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostOnly)

    def __hash__(self) -> int:
        return 0

    def __reduce__(self) -> tuple[type, tuple[None]]:
        return HostOnly, (None,)


class ProposedSteps(Clock):
    """Steps that the system proposes, up to an end time; base class."""

    end: Parameter = eqx.field(converter=as_array)  # [s]

    def interval(self, system: Any, now: LoopState) -> tuple[Time, Time]:
        return now.t, jnp.minimum(system.proposed_step(now.t, now.x), self.end - now.t)

    def fraction(self, now: LoopState) -> float:
        return float(now.t) / float(self.end)  # no step is longer than the time left


class SelfTimed(ProposedSteps):
    """Steps that the system proposes, such as the time to its next contact; each member of a batch has its own time."""

    def finished(self, now: LoopState) -> Bool[Array, ""]:
        return now.t >= self.end
