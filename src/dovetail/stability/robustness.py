r"""Three methods to increase robustness against delay, and their cost [Wallace 2006, sec. 5.3].

- *alpha*: phase advance before the transfer system, :math:`L = C L_0`,
  :math:`C = (\alpha s + \omega_c)/(s/\alpha + \omega_c)`.
- *zeta*: more damping in the numerical substructure, which changes :math:`L_0`.
- *gamma*: a model of the specimen in parallel. The force on the numerical substructure is
  :math:`\gamma F + (1-\gamma)F_{model}`, so :math:`L = \gamma L_0/(1 + (1-\gamma)L_0)`.

`assess` returns the delay that each tolerates, exactly and by small gain, and the peak of the response; the change of
the peak is the distortion. With gamma, the response referred to the total force is undistorted if the model is exact
(`blended_response`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dovetail.stability.margin import (
    Response,
    delay_margin,
    resonance,
    small_gain_delay,
    small_gain_lag,
)
from dovetail.transfer.linear import LinearTransfer


class RobustnessMargins(NamedTuple):
    """Tolerated delays and resonance of a loop."""

    delay: float  # [s] exact margin
    small_gain_delay: float  # [s] pure delay that satisfies small gain
    small_gain_lag: float  # [s] first-order lag that satisfies small gain
    peak: float  # of |D0|
    peak_omega: float  # [rad/s]


def phase_advance(alpha: float, crossover: float) -> LinearTransfer:
    """Return the alpha compensator for the crossover frequency [rad/s]."""
    return LinearTransfer([alpha, crossover], [1 / alpha, crossover])


def blended(loop: LinearTransfer, gamma: float) -> LinearTransfer:
    """Return the loop with the fraction 1 - gamma of the force from a model of the specimen."""
    b, a = loop.numerator, loop.denominator
    return LinearTransfer(gamma * b, np.polyadd(a, (1 - gamma) * b), loop.delay, loop.remarks)


def response(loop: Response, s: ArrayLike, neglected: Response | None = None) -> np.ndarray:
    """Return D = L/(1 + A L); D0 without neglected dynamics A."""
    s = np.asarray(s)
    L = loop(s)
    return L / (1 + (1 if neglected is None else neglected(s)) * L)


def blended_response(loop: Response, gamma: float, s: ArrayLike, neglected: Response) -> np.ndarray:
    """Return L0/(1 + (1 - gamma) L0 + gamma A L0): response with gamma, referred to the total force."""
    s = np.asarray(s)
    L = loop(s)
    return L / (1 + (1 - gamma) * L + gamma * neglected(s) * L)


def delayed(tau: float) -> LinearTransfer:
    """Return a pure delay [s] as neglected dynamics."""
    return LinearTransfer([1.0], [1.0], tau)


def assess(loop: LinearTransfer, omega: ArrayLike) -> RobustnessMargins:
    """Return tolerated delays and resonance of a loop, on a grid of frequencies [rad/s]."""
    ideal = lambda s: response(loop, s)  # noqa: E731
    return RobustnessMargins(
        delay_margin(loop),
        small_gain_delay(ideal, omega),
        small_gain_lag(ideal, omega),
        *resonance(ideal, omega),
    )
