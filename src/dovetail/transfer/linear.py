"""Linear model of a transfer system for stability analysis: polynomials in s and a pure delay."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True)
class LinearTransfer:
    r"""Linear model of a transfer system, :math:`G(s) = \frac{b(s)}{a(s)} e^{-s\tau}`.

    Coefficients are ordered from the highest power of s down along the first axis. An optional second axis is the
    interface axis (actuator). `remarks` lists what the linear model neglects (a dead zone replaced by unit gain,
    noise).

    >>> lag = LinearTransfer([1.0], [0.1, 1.0], 0.02)
    >>> complex(lag(0j))
    (1+0j)
    >>> round(float(lag.phase_delay(1e-3)), 6)
    0.12
    """

    numerator: np.ndarray
    denominator: np.ndarray
    delay: np.ndarray  # [s]
    remarks: tuple[str, ...]

    def __init__(
        self,
        numerator: ArrayLike,
        denominator: ArrayLike,
        delay: ArrayLike = 0.0,
        remarks: tuple[str, ...] = (),
    ) -> None:
        object.__setattr__(self, "numerator", np.atleast_1d(np.asarray(numerator, float)))
        object.__setattr__(self, "denominator", np.atleast_1d(np.asarray(denominator, float)))
        object.__setattr__(self, "delay", np.asarray(delay, float))
        object.__setattr__(self, "remarks", remarks)

    def __mul__(self, other: LinearTransfer) -> LinearTransfer:
        """Return the series connection."""
        return LinearTransfer(
            _multiply(self.numerator, other.numerator),
            _multiply(self.denominator, other.denominator),
            self.delay + other.delay,
            self.remarks + tuple(r for r in other.remarks if r not in self.remarks),
        )

    def __call__(self, s: ArrayLike) -> np.ndarray:
        """Return the response G(s); `s` may be an array if there is one axis."""
        s = np.asarray(s)
        return np.asarray(_value(self.numerator, s) / _value(self.denominator, s) * np.exp(-s * self.delay))

    def axis(self, index: int) -> LinearTransfer:
        """Return the transfer function of one actuator."""
        b, a = (c if c.ndim == 1 else c[:, index] for c in (self.numerator, self.denominator))
        delay = self.delay if self.delay.ndim == 0 else self.delay[index]
        return LinearTransfer(b, a, delay, self.remarks)

    @property
    def low_frequency_delay(self) -> np.ndarray:
        r"""Delay of a slow signal, :math:`\lim_{\omega\to 0} -\arg G(i\omega)/\omega` [s].

        From the last two coefficients of each polynomial: :math:`\tau + a_1/a_0 - b_1/b_0`. The result is not finite
        for an integrator or a differentiator (last coefficient zero).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.delay + _slope(self.denominator) - _slope(self.numerator))

    def phase_delay(self, omega: float) -> np.ndarray:
        r"""Phase delay of a sine of `omega` [rad/s], :math:`-\arg G(i\omega)/\omega` [s].

        The phase of the rational part is unwrapped factor by factor, so it is correct for any order.
        """
        phase = _phase(self.numerator, omega) - _phase(self.denominator, omega)
        return np.asarray(self.delay - phase / omega)


def _slope(coefficients: np.ndarray) -> np.ndarray:
    """Return the ratio of the coefficients of s and of 1."""
    linear = coefficients[-2] if len(coefficients) > 1 else np.zeros_like(coefficients[-1])
    return np.asarray(linear / coefficients[-1])


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    axes = np.broadcast_shapes(p.shape[1:], q.shape[1:])
    q = q.reshape(len(q), *(1,) * (len(axes) + 1 - q.ndim), *q.shape[1:])
    product = np.zeros((len(p) + len(q) - 1, *axes))
    for i, coefficient in enumerate(p):
        product[i : i + len(q)] += coefficient * q
    return product


def _value(coefficients: np.ndarray, s: np.ndarray) -> np.ndarray:
    value = np.zeros_like(s, dtype=complex)
    for coefficient in coefficients:
        value = value * s + coefficient
    return value


def _phase(coefficients: np.ndarray, omega: float) -> Any:
    """Return the unwrapped phase at i omega, relative to the phase at zero frequency, as a sum over the roots."""
    if coefficients.ndim > 1:
        return np.stack([_phase(column, omega) for column in coefficients.T])
    roots = np.roots(coefficients)
    nonzero = roots[np.abs(roots) > 0]
    angle = np.angle((1j * omega - nonzero) / -nonzero).sum() if len(nonzero) else 0.0
    at_origin = (len(roots) - len(nonzero)) * np.pi / 2
    leading = np.trim_zeros(coefficients, "b")[-1]  # its sign is the sign of the response near zero frequency
    return angle + at_origin + (np.pi if leading < 0 else 0.0)
