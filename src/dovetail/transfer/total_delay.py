"""Instrument or actuator specified by its total delay (bus, read-out and response)."""

from __future__ import annotations

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Transfer
from dovetail.transfer.continuous import SecondOrder
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer


@kind("total-delay-lag")
class TotalDelayLag(Transfer):
    r"""Second-order lag of natural frequency :math:`\omega = 4/\tau` for a total delay tau.

    Definition of [Bondoky 2020, eq. 5.6]: four time constants, so 1 ms corresponds to 637 Hz. The low-frequency delay
    is :math:`2 d/\omega`, 0.35 of the total delay for a damping of 0.7. The model contains no dead time.
    """

    delay: Parameter = parameter("s", "total delay, four time constants", above=0.0)
    damping: Parameter = parameter("1", "damping ratio", above=0.0, default=0.7)

    @property
    def lag(self) -> SecondOrderLag:
        """Equivalent second-order lag."""
        return SecondOrderLag(4.0 / self.delay, self.damping, shape=self.shape)

    def init(self) -> State:
        return self.lag.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return self.lag.step(t, dt, x, u)

    def continuous_model(self) -> SecondOrder:
        return self.lag.continuous_model()

    def linear(self) -> LinearTransfer:
        return self.lag.linear()
