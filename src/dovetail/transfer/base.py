"""What lies between the demand and the motion imposed, or between a quantity and its measurement.

Actuators and sensor effects are the same kind of thing: an array in, an array of the same shape out.
They compose with `Series`. Parameters are scalars or one value per axis. At the start all is at rest:
input, output and memory are zero.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Self

import equinox as eqx
import jax
import numpy as np

from dovetail.core import Block, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.parameter import declared
from dovetail.transfer.continuous import Follower, FollowerChain, Formula, Signal, chain_rule
from dovetail.transfer.linear import LinearTransfer


class Transfer(Block):
    """Array in, array of the same shape out; the output at t + dt answers to the input at t + dt."""

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        shape = tuple(shape)
        for name in self._per_axis():
            given = np.shape(getattr(self, name))
            if not _broadcasts(given, shape):
                raise ParameterError(
                    f"{type(self).__name__}.{name}: has shape {given} and the interface {shape}; "
                    f"give one value or one per axis"
                )
        return dataclasses.replace(super().sampled_at(dt, shape), shape=shape)

    def _per_axis(self) -> list[str]:
        """Fields that hold one value or one per axis."""
        return [name for name in declared(type(self)) if isinstance(getattr(self, name), jax.Array)]

    def linear(self) -> LinearTransfer:
        """The linear part, for a stability analysis; parameters must be concrete numbers."""
        raise AnalysisError(
            f"{type(self).__name__} does not describe its linear part; "
            f"give it a method linear() that returns a LinearTransfer, or analyse a linear stand-in"
        )

    def small_signal(self) -> Transfer:
        """What a linear analysis takes this part for: itself, or nothing where its linear part is unity.

        A quantiser's or a dead zone's derivative at rest is zero, which would cut the loop open.
        """
        try:
            linear = self.linear()
        except AnalysisError:
            return self
        unity = np.array_equal(linear.numerator, [1.0]) and np.array_equal(linear.denominator, [1.0])
        return Series(()) if unity and not np.any(linear.delay) else self

    def follower(self) -> Follower:
        """This part as an equation, for a rehearsal in continuous time."""
        raise AnalysisError(
            f"{type(self).__name__} acts at ticks or looks back in time and is no equation, so this test cannot be "
            "rehearsed in continuous time; rehearse it sampled, or put a lag in its place"
        )

    @abstractmethod
    def init(self) -> State: ...

    @abstractmethod
    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]: ...


class MemorylessTransfer(Transfer):
    """A transfer whose output follows from the present input alone."""

    @abstractmethod
    def through(self, t: Time, u: Input) -> Output:
        """What becomes of the input u at the time t."""

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return (), self.through(t + dt, u)

    def with_rates(self, t: Time, u: Signal) -> Signal:
        """What becomes of a signal and its rates."""
        return chain_rule(self.through, t, u)

    def follower(self) -> Follower:
        return Formula(self)


def _broadcasts(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(given, shape) == shape
    except ValueError:
        return False


def unit_gain(remark: str) -> LinearTransfer:
    """Description of a part that small-signal analysis takes as passing straight through."""
    return LinearTransfer([1.0], [1.0], 0.0, (remark,))


@kind("gain")
class Gain(MemorylessTransfer):
    """Constant factor, y = gain u."""

    gain: jax.Array = parameter("1", "amplitude ratio")

    def through(self, t: Time, u: Input) -> Output:
        return self.gain * u

    def linear(self) -> LinearTransfer:
        return LinearTransfer(np.asarray(self.gain)[None], [1.0])


@kind("series")
class Series(Transfer):
    """One transfer after another: `Series((Delay(3.6e-3), SecondOrderLag(235.4, 0.684)))`."""

    parts: tuple[Transfer, ...] = eqx.field(converter=tuple)

    def init(self) -> State:
        return tuple(part.init() for part in self.parts)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        states = []
        for part, state in zip(self.parts, x, strict=True):
            state, u = part.step(t, dt, state, u)
            states.append(state)
        return tuple(states), u

    def follower(self) -> Follower:
        return FollowerChain(tuple(part.follower() for part in self.parts))

    def small_signal(self) -> Transfer:
        return Series(tuple(part.small_signal() for part in self.parts))

    def linear(self) -> LinearTransfer:
        product = LinearTransfer([1.0], [1.0])
        for part in self.parts:
            product = product * part.linear()
        return product
