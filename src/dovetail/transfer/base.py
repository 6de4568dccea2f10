"""Base classes of transfer blocks: actuator dynamics from demand to imposed motion, and sensor effects.

Actuators and sensors have the same interface: an array in, an array of the same shape out. They are combined with
`Series`. Parameters are scalars or one value per axis. Initially everything is at rest: input, output and state are
zero.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import equinox as eqx
import jax
import numpy as np

from dovetail.core import Block, Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.parameter import declared_parameters
from dovetail.transfer.continuous import Follower, FollowerChain, Formula, Signal, chain_rule
from dovetail.transfer.linear import LinearTransfer


class Transfer(Block):
    """Base of transfer blocks: array in, array of the same shape out. The output at t + dt uses the input at t + dt."""

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        shape = tuple(shape)
        for name in self._per_axis():
            size = np.shape(getattr(self, name))
            if not _broadcasts(size, shape):
                raise ParameterError(
                    f"{type(self).__name__}.{name}: got shape {size} for the interface {shape}; "
                    f"expected one value, or one per axis"
                )
        return super().with_sample_time(dt, shape)

    def _per_axis(self) -> list[str]:
        """Names of fields with one value, or one value per axis."""
        return [
            name for name in declared_parameters(type(self)) if isinstance(getattr(self, name), jax.Array)
        ]

    def linear(self) -> LinearTransfer:
        """Linear model for stability analysis; parameters must be concrete numbers."""
        raise AnalysisError(
            f"{type(self).__name__} has no linear model; add a method linear() that returns a LinearTransfer, or use a "
            f"linear part for the analysis"
        )

    def linear_model(self) -> Transfer:
        """Linear model of this part: itself, or an empty series if its linear part is unity.

        The derivative of a quantiser or dead zone at rest is zero, which would open the loop.
        """
        try:
            linear = self.linear()
        except AnalysisError:
            return self
        unity = np.array_equal(linear.numerator, [1.0]) and np.array_equal(linear.denominator, [1.0])
        return Series(()) if unity and not np.any(linear.delay) else self

    def continuous_model(self) -> Follower:
        """Continuous-time model of this part, for a rehearsal in continuous time."""
        raise AnalysisError(
            f"{type(self).__name__} acts at ticks or uses past values, so it has no continuous-time model. The test "
            'cannot be rehearsed with sampling = "none"; use sampling = "rate", or replace the part by a lag'
        )

    @abstractmethod
    def init(self) -> State: ...

    @abstractmethod
    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]: ...


class MemorylessTransfer(Transfer):
    """Transfer whose output depends on the current input only."""

    @abstractmethod
    def apply(self, t: Time, u: Input) -> Output:
        """Return the output for the input u at the time t."""

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return (), self.apply(t + dt, u)

    def with_rates(self, t: Time, u: Signal) -> Signal:
        """Return the output signal and its rates for an input signal with rates."""
        return chain_rule(self.apply, t, u)

    def continuous_model(self) -> Follower:
        return Formula(self)


def _broadcasts(size: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(size, shape) == shape
    except ValueError:
        return False


def unit_gain(remark: str) -> LinearTransfer:
    """Linear model of a part with unit gain, with a remark on what is neglected."""
    return LinearTransfer([1.0], [1.0], 0.0, (remark,))


@kind("gain")
class Gain(MemorylessTransfer):
    """Constant factor, y = gain u."""

    gain: Parameter = parameter("1", "amplitude ratio")

    def apply(self, t: Time, u: Input) -> Output:
        return self.gain * u

    def linear(self) -> LinearTransfer:
        return LinearTransfer(np.asarray(self.gain)[None], [1.0])


@kind("series")
class Series(Transfer):
    """Transfer elements in series, the first one first; without elements the transfer is ideal."""

    parts: tuple[Transfer, ...] = eqx.field(converter=tuple)

    def init(self) -> State:
        return tuple(part.init() for part in self.parts)

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        states = []
        for part, state in zip(self.parts, x, strict=True):
            state, u = part.step(t, dt, state, u)
            states.append(state)
        return tuple(states), u

    def continuous_model(self) -> Follower:
        return FollowerChain(tuple(part.continuous_model() for part in self.parts))

    def linear_model(self) -> Transfer:
        return Series(tuple(part.linear_model() for part in self.parts))

    def linear(self) -> LinearTransfer:
        product = LinearTransfer([1.0], [1.0])
        for part in self.parts:
            product = product * part.linear()
        return product
