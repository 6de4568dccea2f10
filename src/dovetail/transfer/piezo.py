r"""Piezo actuator of the 1-DOF docking testbed: amplifier, stack with resonances, PID and prefilter.

Published identification and design [Bondoky 2020, app. A and B], with corrected misprints: the
amplifier's :math:`s^2` coefficient is 26000, the stack's gain -50 dB, and the missing :math:`s` term of its
denominator comes from the factored form.

.. math::

    G_1 = \frac{100}{\{0.281, 26003\}}, \quad
    G_2 = \frac{10^{-2.5}\{0.0315, 19751\}}{\{0.0559, 11660\}\{0.0258, 21020\}}, \quad
    H = \frac{2700\{0.1, 6500\}}{s\,[35000]}

in millimetres; 0.316 mm for the full drive of 1000 V. The source does not identify the hysteresis of the stack; 10 % of
the stroke is common for such ceramics.
"""

from __future__ import annotations

import numpy as np

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.eddy_current import EddyCurrentSensor
from dovetail.transfer.factors import S, pair, ratio, single
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.position_loop import PositionLoop
from dovetail.transfer.sensor import Hysteresis
from dovetail.transfer.transfer_function import TransferFunction

AMPLIFIER = ratio([], [pair(0.281, 26003.0)], 100.0)  # drive of 1 to 1000 V, per 10 V
STACK = ratio([pair(0.0315, 19751.0)], [pair(0.0559, 11660.0), pair(0.0258, 21020.0)], 10**-2.5)  # to mm
CONTROLLER = ratio([pair(0.1, 6500.0)], [S, single(35000.0)], 2700.0)  # mm to drive
PREFILTERS = {
    "none": ratio([], []),
    "model": ratio(  # designed on the model, eq. A.18
        [single(880.0), pair(1.0, 6500.0), pair(0.1, 11660.0), pair(0.07, 21200.0)],
        [single(8000.0), pair(0.1, 6500.0), pair(1.0, 11660.0), pair(2.0, 21200.0)],
    ),
    "tuned": ratio(  # tuned on the real stack, eq. A.19
        [single(1200.0), pair(1.8, 5700.0), pair(0.05, 10700.0), pair(0.1, 21700.0)],
        [single(4500.0), pair(0.1, 5700.0), pair(1.0, 10700.0), pair(1.0, 21700.0), pair(2.0, 14000.0)],
    ),
}


@kind("piezo-actuator")
class PiezoActuator(Transfer):
    """Piezo stack with position control: motion [m] from demand [m], sampled at the step (75 kHz published)."""

    prefilter: str = choice(*PREFILTERS, about="prefilter of the demand", default="model")
    offset: Parameter = parameter("m", "zero position above the stack's end", at_least=0.0, default=20e-6)
    stroke: Parameter = parameter("m", "largest demanded position", above=0.0, default=239e-6)
    hysteresis: Parameter = parameter(
        "1",
        "width of the stack's hysteresis loop as a fraction of the stroke",
        at_least=0.0,
        at_most=0.5,
        default=0.1,
    )
    sensor: Transfer = EddyCurrentSensor()

    @property
    def loop(self) -> PositionLoop:
        """Position loop of amplifier, stack, controller, prefilter and sensor."""
        hysteresis = Hysteresis(self.hysteresis / 2, 1.0, 0.3, shape=self.shape)
        amplifier = SecondOrderLag(26003.0, 0.281, hold="zoh", shape=self.shape)  # behind the converter
        return PositionLoop(
            controller=_system(CONTROLLER, 1e3, self.shape),  # from metres
            plant=Series(
                (amplifier, hysteresis, _system(STACK, 0.1, self.shape)),
                shape=self.shape,  # 100 V per 10 V, mm to m
            ),
            prefilter=_system(PREFILTERS[self.prefilter], 1.0, self.shape),
            sensor=self.sensor,
            offset=self.offset,
            min_position=0.0,
            max_position=self.stroke,
            min_drive=0.0,
            max_drive=1.0,
            shape=self.shape,
        )

    def init(self) -> State:
        return self.loop.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return self.loop.step(t, dt, x, u)

    def linear(self) -> LinearTransfer:
        return self.loop.linear()

    def linear_model(self) -> Transfer:
        linear = self.linear()
        return TransferFunction(linear.numerator, linear.denominator, shape=self.shape)


def _system(linear: LinearTransfer, factor: float, shape: tuple[int, ...]) -> Transfer:
    if len(linear.denominator) == 1:
        return Series((), shape=shape)
    a = np.asarray(linear.denominator)
    return TransferFunction(factor * linear.numerator / a[0], a / a[0], shape=shape)
