"""Base of actuators with position control: linear closed loop, exact discretisation, stability check."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import jax
import numpy as np

from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import AnalysisError
from dovetail.transfer.base import Transfer
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.transfer_function import TransferFunction


class ClosedLoop(Transfer):
    """Actuator with a closed position loop; an unstable loop raises an error that suggests a remedy."""

    @abstractmethod
    def closed_loop(self) -> TransferFunction:
        """Return the transfer function of the closed loop from demand to displacement."""

    @abstractmethod
    def remedy(self, axis: int) -> str:
        """Return advice that makes the loop of an axis stable."""

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        self.check_stable()
        return super().with_sample_time(dt, shape)

    def init(self) -> State:
        return self.closed_loop().init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return self.closed_loop().step(t, dt, x, u)

    def linear(self) -> LinearTransfer:
        return self.closed_loop().linear()

    def poles(self) -> np.ndarray:
        """Return the closed-loop poles [rad/s], slowest first; one row per axis if the axes differ."""
        denominator = np.asarray(self.closed_loop().denominator)
        roots = [np.roots(column) for column in denominator.reshape(len(denominator), -1).T]
        rows = np.stack([r[np.argsort(np.abs(r))] for r in roots])
        return rows[0] if denominator.ndim == 1 else rows

    def check_stable(self) -> None:
        """Raise `AnalysisError` if a closed-loop pole is not in the left half plane."""
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(self)):
            return
        for axis, poles in enumerate(np.atleast_2d(self.poles())):
            rightmost = poles[np.argmax(poles.real)]
            if rightmost.real >= 0:
                raise AnalysisError(
                    f"{type(self).__name__}: axis {axis} is unstable, with a pole at {rightmost:.4g} rad/s; "
                    f"{self.remedy(axis)}"
                )
