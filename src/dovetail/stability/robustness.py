r"""Three ways to buy robustness against delay, and what each costs [Wallace 2006, sec. 5.3].

- *alpha*, phase advance before the transfer system: :math:`L = C L_0`,
  :math:`C = (\alpha s + \omega_c)/(s/\alpha + \omega_c)`.
- *zeta*, more damping in the numerical substructure: another :math:`L_0`.
- *gamma*, a model of the specimen in parallel: the numerical substructure feels
  :math:`\gamma F + (1-\gamma)F_{model}`, so :math:`L = \gamma L_0/(1 + (1-\gamma)L_0)`.

`assess` gives the delay each tolerates, exactly and by small gain, and the peak of the response, whose change
is the distortion paid. With gamma the response referred to the whole force is undistorted as long as the
model is exact (`blended_response`).
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


class Assessment(NamedTuple):
    """What a loop tolerates, and its resonance."""

    delay: float  # [s] exact margin
    small_gain_delay: float  # [s] accepted by small gain for a pure delay
    small_gain_lag: float  # [s] accepted by small gain for a first-order lag
    peak: float  # of |D0|
    peak_omega: float  # [rad/s]


def phase_advance(alpha: float, crossover: float) -> LinearTransfer:
    """The alpha compensator around the crossover frequency [rad/s]."""
    return LinearTransfer([alpha, crossover], [1 / alpha, crossover])


def blended(loop: LinearTransfer, gamma: float) -> LinearTransfer:
    """The loop that is left when a model of the specimen takes the share 1 - gamma of the force."""
    b, a = loop.numerator, loop.denominator
    return LinearTransfer(gamma * b, np.polyadd(a, (1 - gamma) * b), loop.delay, loop.remarks)


def response(loop: Response, s: ArrayLike, neglected: Response | None = None) -> np.ndarray:
    """D = L/(1 + A L); D0 where nothing is neglected."""
    s = np.asarray(s)
    L = loop(s)
    return L / (1 + (1 if neglected is None else neglected(s)) * L)


def blended_response(loop: Response, gamma: float, s: ArrayLike, neglected: Response) -> np.ndarray:
    """L0/(1 + (1 - gamma) L0 + gamma A L0): with gamma, referred to the whole force."""
    s = np.asarray(s)
    L = loop(s)
    return L / (1 + (1 - gamma) * L + gamma * neglected(s) * L)


def delayed(tau: float) -> LinearTransfer:
    """A pure delay [s] as what is neglected."""
    return LinearTransfer([1.0], [1.0], tau)


def assess(loop: LinearTransfer, omega: ArrayLike) -> Assessment:
    """Tolerated delays and resonance of a loop, on a grid of frequencies [rad/s]."""
    ideal = lambda s: response(loop, s)  # noqa: E731
    return Assessment(
        delay_margin(loop),
        small_gain_delay(ideal, omega),
        small_gain_lag(ideal, omega),
        *resonance(ideal, omega),
    )
