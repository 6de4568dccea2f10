r"""A position loop with two degrees of freedom: controller H in the loop, prefilter F before it.

.. math:: L = H G, \qquad S = \frac1{1+L}, \qquad T_w = \frac{L}{1+L}, \qquad T_r = F\,T_w

The controller decides stability and what disturbances do, the prefilter how the demand is followed
[Bondoky 2020, app. A.3]. All in continuous time.
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
    """Answer to a unit step."""

    time: np.ndarray  # [s]
    output: np.ndarray
    overshoot: float  # beyond one
    settling: float  # [s] after which it stays within 2 %
    rise: float  # [s] to 63 %


class LoopMargins(NamedTuple):
    """How far a loop is from instability."""

    gain: float  # factor on the loop gain
    phase: float  # [rad] at the unit gain that is nearest
    sensitivity: float  # largest |S|; its inverse is the distance of L from -1


@dataclasses.dataclass(frozen=True)
class TwoDegreesOfFreedom:
    """Plant, controller and prefilter, and what they make together."""

    plant: LinearTransfer
    controller: LinearTransfer
    prefilter: LinearTransfer = ONE

    @property
    def loop(self) -> LinearTransfer:
        """L = H G."""
        return self.controller * self.plant

    @property
    def closed(self) -> LinearTransfer:
        """T_w, from the filtered demand to the position."""
        b, a = self.loop.numerator, self.loop.denominator
        return LinearTransfer(b, np.polyadd(a, b))

    @property
    def sensitivity(self) -> LinearTransfer:
        """S, from a disturbance of the position to the position."""
        b, a = self.loop.numerator, self.loop.denominator
        return LinearTransfer(a, np.polyadd(a, b))

    @property
    def response(self) -> LinearTransfer:
        """T_r = F T_w, from the demand to the position."""
        return self.prefilter * self.closed

    def poles(self) -> np.ndarray:
        """Of the closed loop [rad/s], slowest first."""
        poles = np.roots(self.closed.denominator)
        return poles[np.argsort(np.abs(poles))]

    @property
    def stable(self) -> bool:
        """Whether every motion of the closed loop decays."""
        return bool(np.all(self.poles().real < 0))

    def nichols(self, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Phase [rad], unwrapped, and gain [dB] of the loop: the lines of a Nichols chart."""
        values = self.loop(1j * np.asarray(omega))
        return np.unwrap(np.angle(values)), 20 * np.log10(np.abs(values))

    def margins(self, omega: np.ndarray | None = None) -> LoopMargins:
        """Gain and phase margin and the peak of the sensitivity, over frequencies [rad/s]."""
        omega = np.geomspace(1.0, 1e6, 40_001) if omega is None else omega
        values = self.loop(1j * omega)
        phase = np.unwrap(np.angle(values)) + np.pi
        turns = np.where(np.diff(np.floor(phase / (2 * np.pi))) != 0)[0]
        gains = 1 / np.abs(values[turns])
        gains = gains[gains > 1]
        units = np.where(np.diff(np.sign(np.abs(values) - 1)) != 0)[0]
        margin = np.min(np.abs((phase[units] + np.pi) % (2 * np.pi) - np.pi), initial=np.inf)
        return LoopMargins(
            float(np.min(gains, initial=np.inf)), float(margin), float(np.max(np.abs(1 / (1 + values))))
        )

    def step(self, duration: float, count: int = 20_001) -> StepResponse:
        """Answer to a unit step of the demand over a duration [s]."""
        if not self.stable:
            raise AnalysisError(f"the loop is unstable: a pole at {self.poles().real.max():.3g} 1/s")
        return step_response(self.response, duration, count)

    def bandwidth(self) -> float:
        """Lowest frequency [Hz] at which the demand arrives with less than 0.707 of its size."""
        omega = np.geomspace(1.0, 1e6, 40_001)
        small = np.abs(self.response(1j * omega)) < np.sqrt(0.5)
        if not small.any():
            raise AnalysisError("the response stays above 0.707 to 1e6 rad/s")
        return float(omega[np.argmax(small)] / (2 * np.pi))


def step_response(system: LinearTransfer, duration: float, count: int = 20_001) -> StepResponse:
    """Answer of a stable system to a unit step."""
    time = np.linspace(0.0, duration, count)
    # in units of its own time scale the polynomials are well conditioned
    scale = float(np.max(np.abs(np.roots(system.denominator))))
    b, a = (c * scale ** np.arange(len(c))[::-1] for c in (system.numerator, system.denominator))
    _, output = scipy.signal.step(scipy.signal.TransferFunction(b / a[0], a / a[0]), T=time * scale)
    outside = np.abs(output - 1) > 0.02
    settled = time[-1] if outside[-1] else time[np.max(np.where(outside)[0], initial=-1) + 1]
    rise = time[np.argmax(output >= 1 - np.exp(-1))]
    return StepResponse(time, output, float(output.max() - 1), float(settled), float(rise))
