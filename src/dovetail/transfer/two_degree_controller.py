r"""Position loop with two degrees of freedom: controller H in the loop, prefilter F before the loop.

.. math:: L = H G, \qquad S = \frac1{1+L}, \qquad T_w = \frac{L}{1+L}, \qquad T_r = F\,T_w

The controller determines stability and disturbance rejection, the prefilter the response to the demand
[Bondoky 2020, app. A.3]. Everything is in continuous time.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError
from dovetail.transfer.linear import LinearTransfer

ONE = LinearTransfer([1.0], [1.0])


class StepResponse(NamedTuple):
    """Response to a unit step."""

    time: np.ndarray  # [s]
    output: np.ndarray
    overshoot: float  # above 1
    settling_time: float  # [s] until the response stays within 2 %
    rise_time: float  # [s] to 63 %


class LoopMargins(NamedTuple):
    """Stability margins of a loop."""

    gain: float  # factor on the loop gain
    phase: float  # [rad] smallest at unit gain
    sensitivity: float  # largest |S|; its inverse is the smallest distance of L from -1


@dataclasses.dataclass(frozen=True)
class TwoDegreesOfFreedom:
    """Closed loop of plant, controller and prefilter."""

    plant: LinearTransfer
    controller: LinearTransfer
    prefilter: LinearTransfer = ONE

    @property
    def loop(self) -> LinearTransfer:
        """L = H G."""
        return self.controller * self.plant

    @property
    def closed_loop(self) -> LinearTransfer:
        """T_w, transfer function from the filtered demand to the position."""
        b, a = self.loop.numerator, self.loop.denominator
        return LinearTransfer(b, np.polyadd(a, b))

    @property
    def sensitivity(self) -> LinearTransfer:
        """S, transfer function from a position disturbance to the position."""
        b, a = self.loop.numerator, self.loop.denominator
        return LinearTransfer(a, np.polyadd(a, b))

    @property
    def response(self) -> LinearTransfer:
        """T_r = F T_w, transfer function from the demand to the position."""
        return self.prefilter * self.closed_loop

    def poles(self) -> np.ndarray:
        """Return the closed-loop poles [rad/s], slowest first."""
        poles = np.roots(self.closed_loop.denominator)
        return poles[np.argsort(np.abs(poles))]

    @property
    def stable(self) -> bool:
        """True if all closed-loop poles are in the left half plane."""
        return bool(np.all(self.poles().real < 0))

    def nichols(self, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return unwrapped phase [rad] and gain [dB] of the loop, for a Nichols chart."""
        values = self.loop(1j * np.asarray(omega))
        return np.unwrap(np.angle(values)), 20 * np.log10(np.abs(values))

    def margins(self, omega: np.ndarray | None = None) -> LoopMargins:
        """Return gain margin, phase margin and largest sensitivity over frequencies [rad/s]."""
        omega = np.geomspace(1.0, 1e6, 40_001) if omega is None else omega
        values = self.loop(1j * omega)
        phase = np.unwrap(np.angle(values)) + np.pi
        crossings = np.where(np.diff(np.floor(phase / (2 * np.pi))) != 0)[0]
        gains = 1 / np.abs(values[crossings])
        gains = gains[gains > 1]
        unit_gains = np.where(np.diff(np.sign(np.abs(values) - 1)) != 0)[0]
        margin = np.min(np.abs((phase[unit_gains] + np.pi) % (2 * np.pi) - np.pi), initial=np.inf)
        return LoopMargins(
            float(np.min(gains, initial=np.inf)), float(margin), float(np.max(np.abs(1 / (1 + values))))
        )

    def step(self, duration: float, count: int = 20_001) -> StepResponse:
        """Return the response to a unit step of the demand over a duration [s]."""
        if not self.stable:
            raise AnalysisError(
                f"the loop is unstable: it has a pole with real part {self.poles().real.max():.3g} 1/s; "
                "reduce the loop gain"
            )
        return step_response(self.response, duration, count)

    def bandwidth(self) -> float:
        """Return the lowest frequency [Hz] with an amplitude ratio below 0.707."""
        omega = np.geomspace(1.0, 1e6, 40_001)
        attenuated = np.abs(self.response(1j * omega)) < np.sqrt(0.5)
        if not attenuated.any():
            raise AnalysisError(
                "the amplitude ratio is above 0.707 up to 1e6 rad/s; the bandwidth is not defined"
            )
        return float(omega[np.argmax(attenuated)] / (2 * np.pi))


def step_response(system: LinearTransfer, duration: float, count: int = 20_001) -> StepResponse:
    """Return the response of a stable system to a unit step."""
    time = np.linspace(0.0, duration, count)
    # scaled by the largest pole, so that the polynomials are well conditioned
    scale = float(np.max(np.abs(np.roots(system.denominator))))
    b, a = (c * scale ** np.arange(len(c))[::-1] for c in (system.numerator, system.denominator))
    _, output = scipy.signal.step(scipy.signal.TransferFunction(b / a[0], a / a[0]), T=time * scale)
    outside = np.abs(output - 1) > 0.02
    settling_time = time[-1] if outside[-1] else time[np.max(np.where(outside)[0], initial=-1) + 1]
    rise_time = time[np.argmax(output >= 1 - np.exp(-1))]
    return StepResponse(time, output, float(output.max() - 1), float(settling_time), float(rise_time))
