r"""Identify a transfer function of given order, and its delay, from a record.

.. math:: G(s) = \frac{b_0 s^m + \dots + b_m}{s^n + a_1 s^{n-1} + \dots + a_n} e^{-s\tau}

by output error (`grey_box`). The start is a linear least-squares estimate on signals filtered by
:math:`s^k/(s+\lambda)^n`, which gives an equation between samples without differentiation [Garnier & Wang 2008]. The
estimate is computed for several filters and delays, and the best one in simulation is refined.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.delay import Delay
from dovetail.transfer.identification.grey_box import GreyBoxFit, fit_parameters
from dovetail.transfer.transfer_function import TransferFunction


@dataclasses.dataclass(frozen=True)
class TransferFunctionFit:
    """Transfer function with delay, identified from a record; `fit` contains model, residual and covariance."""

    numerator: np.ndarray  # highest power first
    denominator: np.ndarray  # highest power first, leading 1
    delay: float  # [s]
    delay_error: float  # [s] standard error; 0 for a given delay
    fit: GreyBoxFit

    def __str__(self) -> str:
        b, a = (" ".join(f"{c:.4g}" for c in p) for p in (self.numerator, self.denominator))
        return (
            f"[{b}] / [{a}], delay {1e3 * self.delay:.3g} ms: explains {100 * self.fit.explained_fraction:.3g} % "
            f"of the variation"
        )


def fit_transfer_function(
    demand: np.ndarray,
    measured: np.ndarray,
    dt: float,
    *,
    poles: int,
    zeros: int = 0,
    delay: float | None = None,
    max_delay: float = 0.03,
) -> TransferFunctionFit:
    """Return a transfer function with `poles` and `zeros` and a delay [s].

    The delay is identified, up to `max_delay` [s], unless it is given. The record must start from rest and contain the
    frequencies of interest: a sweep, noise or steps.
    """
    u, y = np.asarray(demand, float), np.asarray(measured, float)
    if not (poles >= 1 and 0 <= zeros <= poles):
        raise ParameterError(
            f"got {poles} poles and {zeros} zeros; expected at least one pole and not more zeros than poles"
        )
    if u.ndim != 1 or u.shape != y.shape or len(u) < 20 * (poles + zeros + 1):
        raise ParameterError(
            f"got demand {u.shape} and measured {y.shape}; expected one axis of equal length, with at least 20 "
            f"samples for each parameter"
        )
    delays = (
        [delay] if delay is not None else np.arange(0, max_delay + dt / 2, max(max_delay / 8, dt)).tolist()
    )
    b, a, tau = _start(u, y, dt, poles, zeros, delays)

    rate = float(
        np.max(np.abs(a[1:]) ** (1 / np.arange(1, poles + 1)))
    )  # [rad/s] scales the coefficients to comparable size
    powers_b = rate ** (poles - zeros + np.arange(zeros + 1.0))
    powers_a = rate ** np.arange(poles + 1.0)
    buffer = max(max_delay, tau) + 2 * dt

    @partial(jax.jit, inline=True)
    def coefficients(p: jax.Array) -> tuple[jax.Array, jax.Array, Any]:
        numerator, others = p[: zeros + 1] * powers_b, p[zeros + 1 :]
        denominator = jnp.concatenate([jnp.ones(1), others[:poles]]) * powers_a
        return numerator, denominator, others[poles] if delay is None else delay

    def build(p: jax.Array) -> Transfer:
        numerator, denominator, tau = coefficients(p)
        return Series((Delay(tau, max_delay=buffer), TransferFunction(numerator, denominator)))

    start = np.concatenate([b / powers_b, a[1:] / powers_a[1:], [tau] if delay is None else []])
    free = zeros + 1 + poles
    lower = np.r_[np.full(free, -np.inf), [0.0] if delay is None else []]
    upper = np.r_[np.full(free, np.inf), [max_delay + dt] if delay is None else []]
    if delay is None:
        start[-1] = np.clip(start[-1], 0.05 * dt, max_delay)  # inside its bounds
    fit = fit_parameters(build, start, u, y, dt, lower=lower, upper=upper)
    p = fit.parameters
    return TransferFunctionFit(
        p[: zeros + 1] * powers_b,
        np.r_[1.0, p[zeros + 1 : free]] * powers_a,
        float(p[free]) if delay is None else float(delay),
        float(fit.errors[free]) if delay is None else 0.0,
        fit,
    )


def _start(
    u: np.ndarray, y: np.ndarray, dt: float, poles: int, zeros: int, delays: list[float]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return coefficients and delay of the linear estimate with the smallest simulation error."""
    t = dt * np.arange(len(u))
    spectrum = np.abs(np.fft.rfft(u - u.mean())) ** 2
    omega = 2 * np.pi * np.fft.rfftfreq(len(u), dt)
    middle = float(np.sum(omega * spectrum) / np.sum(spectrum)) if spectrum.sum() > 0 else 1.0
    smallest, best = np.inf, None
    for corner in middle * np.array([1.0, 3.0, 10.0]):
        denominator = np.poly(np.full(poles, -corner)).real
        filtered_y = [_filter(y, t, k, denominator, corner) for k in range(poles, -1, -1)]
        filtered_u = [_filter(u, t, k, denominator, corner) for k in range(zeros, -1, -1)]
        for tau in delays:
            shift = round(tau / dt)
            delayed = [np.r_[np.zeros(shift), f[: len(f) - shift]] for f in filtered_u]
            regressors = np.stack([*delayed, *(-f for f in filtered_y[1:])], axis=1)
            p = np.linalg.lstsq(regressors, filtered_y[0], rcond=None)[0]
            powers = corner ** np.arange(poles + 1.0)
            b = p[: zeros + 1] * corner ** (poles - zeros + np.arange(zeros + 1.0))
            a = np.r_[1.0, p[zeros + 1 :]] * powers
            roots = np.roots(a)
            if np.any(roots.real > 0):  # mirrored into the left half plane
                a = np.poly(np.where(roots.real > 0, -roots.conj(), roots)).real
            error = _simulated_error(b, a, u, y, t, shift)
            if error < smallest:
                smallest, best = error, (b, a, shift * dt)
    if best is None or not np.isfinite(smallest):
        raise AnalysisError(
            "no stable transfer function reproduces the record; check that the measured signal follows the demand, "
            "that the record starts from rest, and that the sample time is short compared with the dynamics"
        )
    return best


def _filter(
    signal: np.ndarray, t: np.ndarray, power: int, denominator: np.ndarray, corner: float
) -> np.ndarray:
    """Return the signal filtered by (s/corner)^power / (s/corner + 1)^n."""
    n = len(denominator) - 1
    numerator = np.zeros(power + 1)
    numerator[0] = corner ** (n - power)
    return np.asarray(scipy.signal.lsim((numerator, denominator), signal, t)[1])


def _simulated_error(
    b: np.ndarray, a: np.ndarray, u: np.ndarray, y: np.ndarray, t: np.ndarray, shift: int
) -> float:
    delayed = np.r_[np.zeros(shift), u[: len(u) - shift]]
    with np.errstate(all="ignore"):
        response = scipy.signal.lsim((b, a), delayed, t)[1]
        error = float(np.sum((y - response) ** 2))
    return error if np.isfinite(error) else np.inf
