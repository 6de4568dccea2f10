r"""Energy per cycle that a delayed specimen adds to the test.

A specimen of dynamic stiffness :math:`P(j\omega)` behind a transfer system :math:`T(j\omega)` acts on a harmonic
motion like a spring and a damper,

.. math:: P T = k_e + j\omega c_e, \qquad \Delta E = -\pi\omega c_e Z^2

per cycle of amplitude Z. A spring with delay tau has :math:`c_e = -k_s\sin(\omega\tau)/\omega`, which is negative:
the delay adds energy. The test is unstable if more energy is added than the numerical damping dissipates
[Horiuchi et al. 1999].

The argument assumes harmonic motion at a given frequency. For one mass and one spring it is exact on the stability
boundary at the critical frequency; otherwise it is an estimate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dovetail.stability.margin import ONE, Response


class Equivalent(NamedTuple):
    """Spring and damper equivalent to the specimen for harmonic motion."""

    stiffness: np.ndarray  # [N/m]
    damping: np.ndarray  # [N s/m], negative if energy is added

    def injected(self, omega: ArrayLike, amplitude: ArrayLike) -> np.ndarray:
        """Return the energy [J] added to the test in each cycle of a motion of the given amplitude [m]."""
        return -np.pi * np.asarray(omega) * self.damping * np.asarray(amplitude) ** 2


def equivalent(specimen: Response, omega: ArrayLike, transfer: Response = ONE) -> Equivalent:
    """Return equivalent stiffness and damping of a specimen behind a transfer system at frequency omega [rad/s].

    `specimen` and `transfer` are functions of s, for example `LinearTransfer`.
    """
    w = np.asarray(omega, dtype=float)
    felt = specimen(1j * w) * transfer(1j * w)
    return Equivalent(felt.real, felt.imag / w)


def spring(k_s: ArrayLike, tau: ArrayLike, omega: ArrayLike) -> Equivalent:
    """Return equivalent stiffness and damping of a spring k_s [N/m] with delay tau [s]."""
    k_s, tau, w = (np.asarray(v, dtype=float) for v in (k_s, tau, omega))
    return Equivalent(k_s * np.cos(w * tau), -k_s * np.sin(w * tau) / w)
