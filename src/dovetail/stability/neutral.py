r"""Delayed inertia: neutral delay equations and their stability condition.

A specimen that responds to acceleration with force (a mass, or moving parts of the actuator inside the measured
force) returns a *delayed acceleration* to the numerical mass. The delay equation is then neutral: it has an infinite
chain of roots that approaches :math:`\mathrm{Re}\,\lambda = \ln(g)/\tau`, with g the loop gain at infinite frequency,
for two masses the mass ratio :math:`m_P/m_N`. Therefore

- g >= 1: *any* delay destabilises;
- g < 1: the chain decays, and the phase margin decides as usual;
- g = 0: the equation is retarded, and `DelayEquation` applies.

With several delays this holds for the spectral radius of the sum of their gains, at the worst phases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.errors import AnalysisError
from dovetail.transfer.linear import LinearTransfer


@dataclass(frozen=True)
class DelayType:
    """Type of the delay equation of a loop, with a sentence for messages."""

    kind: str  # "retarded", "neutral" or "advanced"
    gain: float  # loop gain at infinite frequency
    sentence: str

    @property
    def any_delay_destabilises(self) -> bool:
        """True if any delay destabilises the loop, for any damping."""
        return self.gain >= 1


def gain_at_infinity(loop: LinearTransfer) -> float:
    """Return |L(j omega)| for omega to infinity: zero, the ratio of leading coefficients, or infinite."""
    b, a = (np.trim_zeros(np.atleast_1d(c), "f") for c in (loop.numerator, loop.denominator))
    if b.size == 0 or b.size < a.size:
        return 0.0
    return float(abs(b[0] / a[0])) if b.size == a.size else np.inf


def delay_type(loop: LinearTransfer) -> DelayType:
    """Return whether a delay in this loop makes the equation retarded, neutral or advanced."""
    return _describe_neutral_loop(gain_at_infinity(loop))


def delayed_inertia(mass: ArrayLike, delayed: Iterable[ArrayLike]) -> DelayType:
    """Return the delay type for matrices: M z'' + sum_i M_i z''(t - tau_i) + ... with independent delays.

    The gain is the largest spectral radius of sum_i exp(j theta_i) M^-1 M_i over all phases: exact for one delay,
    evaluated on a grid of phases for two or three, bounded by the sum of norms for more.
    """
    M = np.atleast_2d(np.asarray(mass, dtype=float))
    gains = [np.linalg.solve(M, np.atleast_2d(np.asarray(m, dtype=float))) for m in delayed]
    gains = [g for g in gains if np.any(g)]
    if not gains:
        return _describe_neutral_loop(0.0)
    if len(gains) > 3:
        return _describe_neutral_loop(float(sum(np.linalg.norm(g, 2) for g in gains)))
    phases = np.exp(2j * np.pi * np.arange(48) / 48)
    total = gains[0].astype(complex)
    for g in gains[1:]:  # a common phase does not change the radius, so the first is fixed
        total = total[..., None, :, :] + phases[:, None, None] * g
    return _describe_neutral_loop(float(np.abs(np.linalg.eigvals(total)).max()))


def require_retarded(gain: float, where: str) -> None:
    """Raise an `AnalysisError` with a remedy if the gain at infinite frequency is not zero."""
    if gain > 0:
        raise AnalysisError(f"{where}: {_describe_neutral_loop(gain).sentence}")


def _describe_neutral_loop(gain: float) -> DelayType:
    if gain == 0:
        return DelayType("retarded", 0.0, "retarded: the loop gain tends to zero at high frequency")
    if np.isinf(gain):
        return DelayType(
            "advanced",
            gain,
            "advanced: the loop gain grows without bound with frequency, so any delay destabilises; "
            "move mass or damping from the specimen to the numerical substructure, or include the roll-off of the "
            "actuator",
        )
    head = f"neutral with a loop gain of {gain:.3g} at high frequency"
    if gain >= 1:
        return DelayType(
            "neutral",
            gain,
            f"{head}: any delay destabilises; move mass from the specimen to the numerical substructure "
            "until the ratio is below one, or include the roll-off of the actuator (retarded equation)",
        )
    return DelayType(
        "neutral",
        gain,
        f"{head}, below one: a critical delay exists; compute it by phase margin "
        "(stability.margin.delay_margin), or include the roll-off of the actuator (retarded equation)",
    )
