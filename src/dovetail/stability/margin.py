r"""Phase margin: delay and lead that a loop tolerates, from its frequency response.

The loop is cut at the interface: :math:`L_0 = P N`, specimen times numerical substructure, with negative feedback of
the force. The neglected dynamics between them are :math:`A = (1 + P T_P)^{-1} T M`: transfer system T, its compliance
under load T_P, sensor M. The response of the hybrid test is :math:`D = L_0/(1 + A L_0)`, the reference response
:math:`D_0 = L_0/(1 + L_0)` [Wallace 2006, sec. 3.3].

- Where :math:`|L(j\omega)| = 1` the distance of the phase to -180 degrees is the margin; divided by :math:`\omega` it
  is a delay. The smallest delay over all crossovers counts. A *lead* turns the phase in the other direction; its limit
  is the margin minus a full turn.
- Small gain: stable if :math:`|D_0||A - 1| \le 1` at every frequency. This is sufficient only, but holds for any A
  that is not larger.

Valid if the loop is stable without the delay, and if its gain is below one at high frequency (otherwise any delay
destabilises: the margin is zero, see `neutral`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dovetail.stability import unit_gain
from dovetail.stability.neutral import gain_at_infinity
from dovetail.stability.state_space import StateSpace
from dovetail.transfer.linear import LinearTransfer

Response = Callable[[np.ndarray], np.ndarray]  # of s = j omega; a LinearTransfer is one
ONE, NONE = LinearTransfer([1.0], [1.0]), LinearTransfer([0.0], [1.0])


class GainCrossover(NamedTuple):
    """Frequency at which the loop gain is one."""

    omega: float  # [rad/s]
    phase_margin: float  # [rad], 0 to 2 pi
    delay: float  # [s] delay that uses up the margin
    lead: float  # [s] lead, negative, that uses up the remaining turn


class DelayMargin(NamedTuple):
    """Smallest delay that destabilises, and its frequency; infinite and NaN if there is none."""

    delay: np.ndarray  # [s]
    omega: np.ndarray  # [rad/s]


@dataclass(frozen=True)
class LinearHybridLoop:
    """Four blocks of a linear hybrid test; each is a function of s."""

    numerical: Response  # N: displacement per force
    specimen: Response  # P: force per displacement
    transfer: Response = ONE  # T: displacement imposed per demand
    compliance: Response = NONE  # T_P: deflection per force
    sensor: Response = ONE  # M: force measured per force

    def nominal(self, s: ArrayLike) -> np.ndarray:
        """Return L0 = P N, the loop with an ideal transfer system."""
        s = np.asarray(s)
        return self.specimen(s) * self.numerical(s)

    def neglected(self, s: ArrayLike) -> np.ndarray:
        """Return A, which is one for an ideal transfer system and sensor."""
        s = np.asarray(s)
        return self.transfer(s) * self.sensor(s) / (1 + self.specimen(s) * self.compliance(s))

    def loop(self, s: ArrayLike) -> np.ndarray:
        """Return L = A L0."""
        return self.neglected(s) * self.nominal(s)

    def response(self, s: ArrayLike) -> np.ndarray:
        """Return D = L0/(1 + A L0), force of the specimen per excitation."""
        nominal = self.nominal(s)
        return nominal / (1 + self.neglected(s) * nominal)

    def reference_response(self, s: ArrayLike) -> np.ndarray:
        """Return D0 = L0/(1 + L0), the reference response."""
        nominal = self.nominal(s)
        return nominal / (1 + nominal)


def unit_gains(loop: Response, omega: ArrayLike | None = None) -> list[GainCrossover]:
    """Return all frequencies at which |L| = 1, ascending.

    Parameters
    ----------
    loop
        L(s). For a `LinearTransfer` the frequencies are computed by `unit_gain` and none is missed.
    omega
        Grid [rad/s] of the search for any other loop; a pair of crossings between two grid points is found only if the
        maximum or minimum of the gain is on the grid.
    """
    if isinstance(loop, LinearTransfer):
        frequencies = np.array(
            [gain.omega for gain in unit_gain.unit_gains(StateSpace.from_transfer_function(loop))]
        )
    elif omega is None:
        raise TypeError("unit_gains.omega: missing; a loop that is not a LinearTransfer needs a grid [rad/s]")
    else:
        frequencies = _crossings_on_grid(loop, np.asarray(omega, dtype=float))
    return [_unit_gain(loop, float(w)) for w in frequencies]


def delay_margin(loop: Response, omega: ArrayLike | None = None) -> float:
    """Return the delay [s] that the loop tolerates; infinite if its gain does not reach one.

    Zero if the gain is one or more at high frequency: see `neutral`.
    """
    if isinstance(loop, LinearTransfer) and gain_at_infinity(loop) >= 1:
        return 0.0
    return min((gain.delay for gain in unit_gains(loop, omega)), default=np.inf)


def lead_margin(loop: Response, omega: ArrayLike | None = None) -> float:
    """Return the lead [s], negative, that the loop tolerates; minus infinite if its gain does not reach one.

    An exact lead is not causal: interpret the result as the limit on the overshoot of an exact predictor.
    """
    if isinstance(loop, LinearTransfer) and gain_at_infinity(loop) >= 1:
        return 0.0
    return max((gain.lead for gain in unit_gains(loop, omega)), default=-np.inf)


def rational_delay_margin(numerator: ArrayLike, denominator: ArrayLike) -> DelayMargin:
    """Return the delay margin of L0 = b(s)/a(s) for many loops at once.

    Coefficients, highest power first, along the *last* axis; all other axes broadcast. A loop whose poles of 1 + L0
    are not stable without delay has a margin of zero.
    """
    b, a = (np.asarray(c, dtype=float) for c in (numerator, denominator))
    shape = np.broadcast_shapes(b.shape[:-1], a.shape[:-1])
    size = max(b.shape[-1], a.shape[-1])
    b, a = (_pad_coefficients(c, size, shape) for c in (b, a))
    w = _unit_omega(b, a)
    s = 1j * np.where(np.isnan(w), 1.0, w)
    phase = np.angle(_polynomial(b[..., None, :], s) / _polynomial(a[..., None, :], s))
    delay = np.where(np.isnan(w), np.inf, np.mod(phase + np.pi, 2 * np.pi) / np.abs(s))
    which = delay.argmin(axis=-1)[..., None]
    tau = np.take_along_axis(delay, which, -1)[..., 0]
    omega = np.take_along_axis(w, which, -1)[..., 0]
    leading = np.argmax((a != 0) | (b != 0), axis=-1)[..., None]  # of loops of different orders
    b_lead, a_lead = (np.take_along_axis(c, leading, -1)[..., 0] for c in (b, a))
    lost = ~_hurwitz(a + b) | (np.abs(b_lead) >= np.abs(a_lead))
    return DelayMargin(np.where(lost, 0.0, tau), omega)


def small_gain(loop: LinearHybridLoop, omega: ArrayLike) -> np.ndarray:
    """Return |D0||A - 1| at each frequency [rad/s]: the test is stable if it stays below one."""
    s = 1j * np.asarray(omega, dtype=float)
    return np.abs(loop.reference_response(s)) * np.abs(loop.neglected(s) - 1)


def small_gain_delay(reference_response: Response, omega: ArrayLike) -> float:
    """Return the largest pure delay [s] that satisfies the small-gain condition: 2 |D0| sin(w tau/2) <= 1."""
    return _smallest(lambda w: _delay_accepted(reference_response, w), omega)


def small_gain_lag(reference_response: Response, omega: ArrayLike) -> float:
    """Return the largest time constant [s] of a first-order lag that satisfies the small-gain condition."""
    return _smallest(lambda w: _lag_accepted(reference_response, w), omega)


def delay_independent_damping(rho: ArrayLike) -> np.ndarray:
    """Return the damping ratio above which one delayed spring of ratio rho <= 1 is stable at any delay.

    It is rho/sqrt(1 + rho), from |1 - exp(-j w tau)| <= 2 and the approximate peak of D0
    [Wallace 2006, eq. 3.53]; exact for rho = 1, conservative below (`single_interface.rho_min` is exact).
    Infinite above one, where the published formula is not valid: the static loop gain exceeds one, so some
    delay always destabilises.
    """
    rho = np.asarray(rho, dtype=float)
    return np.where(rho <= 1, rho / np.sqrt(1 + np.maximum(rho, 0.0)), np.inf)


def resonance(response: Response, omega: ArrayLike) -> tuple[float, float]:
    """Return the largest |D| and its frequency [rad/s], refined between the points of the grid."""
    w = np.asarray(omega, dtype=float)
    size = np.abs(response(1j * w))
    i = int(np.clip(np.argmax(size), 1, w.size - 2))
    best = scipy.optimize.minimize_scalar(
        lambda x: -float(np.abs(response(1j * np.asarray(x)))),
        bounds=(w[i - 1], w[i + 1]),
        method="bounded",
        options={"xatol": 1e-10 * w[i]},
    )
    return -float(best.fun), float(best.x)


def _unit_gain(loop: Response, w: float) -> GainCrossover:
    margin = float(np.mod(np.angle(loop(np.asarray(1j * w))) + np.pi, 2 * np.pi))
    return GainCrossover(w, margin, margin / w, (margin - 2 * np.pi) / w)


def _crossings_on_grid(loop: Response, omega: np.ndarray) -> np.ndarray:
    level = lambda w: float(np.log(np.abs(loop(np.asarray(1j * w)))))  # noqa: E731
    values = np.log(np.abs(loop(1j * omega)))
    changes = np.flatnonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)
    crossings = [
        scipy.optimize.brentq(level, omega[i], omega[i + 1], xtol=1e-13, rtol=1e-14) for i in changes
    ]
    return np.sort(np.concatenate([crossings, omega[values == 0]]))


def _smallest(limit: Response, omega: ArrayLike) -> float:
    w = np.asarray(omega, dtype=float)
    values = limit(w)
    if not np.isfinite(values).any():
        return np.inf
    i = int(np.clip(np.nanargmin(values), 1, w.size - 2))
    best = scipy.optimize.minimize_scalar(
        lambda x: float(np.minimum(limit(np.asarray(x)), 1e300)),
        bounds=(w[i - 1], w[i + 1]),
        method="bounded",
        options={"xatol": 1e-10 * w[i]},
    )
    return min(float(best.fun), float(values.min()))


def _delay_accepted(response: Response, w: np.ndarray) -> np.ndarray:
    size = np.abs(response(1j * w))
    return np.where(size > 0.5, 2 * np.arcsin(0.5 / np.maximum(size, 0.5)) / w, np.inf)


def _lag_accepted(response: Response, w: np.ndarray) -> np.ndarray:
    size = np.abs(response(1j * w))
    return np.where(size > 1, 1 / (np.sqrt(np.maximum(size**2 - 1, 1e-300)) * w), np.inf)


def _pad_coefficients(c: np.ndarray, size: int, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros((*shape, size))
    out[..., size - c.shape[-1] :] = c
    return out


def _polynomial(coefficients: np.ndarray, s: np.ndarray) -> np.ndarray:
    value = np.zeros(s.shape, dtype=complex)
    for k in range(coefficients.shape[-1]):
        value = value * s + coefficients[..., k]
    return value


def _unit_omega(b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the frequencies with |b(jw)| = |a(jw)|, padded with NaN; the roots of a polynomial in x = w^2."""
    size = max(b.shape[-1], a.shape[-1])
    shape = np.broadcast_shapes(b.shape[:-1], a.shape[:-1])
    b, a = (_pad_coefficients(c, size, shape)[..., ::-1] for c in (b, a))  # lowest power first
    # in units of a frequency of the loop, so that its powers are comparable
    degree = size - 1
    weight = np.arange(size)
    top, low = np.abs(a[..., degree]), np.maximum(np.abs(a[..., 0]), np.abs(b[..., 0]))
    ratio = low / np.where(top > 0, top, 1.0)
    unit = np.where((top > 0) & (low > 0), ratio ** (1 / max(degree, 1)), 1.0)
    b, a = (c * unit[..., None] ** weight for c in (b, a))
    q = _square(a) - _square(b)  # |a|^2 - |b|^2, powers of x
    q = q / np.maximum(np.abs(q).max(axis=-1, keepdims=True), 1e-300)
    # q changes sign at most once around each real part of its roots; bisection finds the root
    x = _roots(q).real
    x = np.sort(np.where(x > 0, x, np.inf), axis=-1)
    finite = np.isfinite(x)
    x = np.where(finite, x, 1.0)
    left = np.concatenate([0.5 * x[..., :1], 0.5 * (x[..., :-1] + x[..., 1:])], axis=-1)
    right = np.concatenate([left[..., 1:], 2 * x[..., -1:]], axis=-1)
    last = finite & ~np.concatenate([finite[..., 1:], np.zeros_like(finite[..., :1])], axis=-1)
    right = np.where(last, 2 * x, right)
    value = lambda x: np.sum(q[..., None, :] * x[..., None] ** np.arange(q.shape[-1]), axis=-1)  # noqa: E731
    low, high = value(left), value(right)
    real = finite & (np.sign(low) * np.sign(high) < 0)
    for _ in range(60):
        middle = 0.5 * (left + right)
        below = np.sign(value(middle)) == np.sign(low)
        left, right = np.where(below, middle, left), np.where(below, right, middle)
    return np.where(real, np.sqrt(0.5 * (left + right)) * unit[..., None], np.nan)


def _square(c: np.ndarray) -> np.ndarray:
    """Return |c(jw)|^2 as a polynomial in x = w^2, lowest power first."""
    size = c.shape[-1]
    even, odd = c[..., 0::2], c[..., 1::2]
    even, odd = (p * (-1.0) ** np.arange(p.shape[-1]) for p in (even, odd))
    out = np.zeros((*c.shape[:-1], size))
    for part, shift in ((even, 0), (odd, 1)):
        for i in range(part.shape[-1]):
            for j in range(part.shape[-1]):
                if i + j + shift < size:
                    out[..., i + j + shift] += part[..., i] * part[..., j]
    return out


def _roots(q: np.ndarray) -> np.ndarray:
    """Return the roots of polynomials, lowest power first along the last axis, from companion matrices.

    A polynomial of a lower degree than the others has further roots at minus infinity.
    """
    degree = q.shape[-1] - 1
    if degree == 0:
        return np.full((*q.shape[:-1], 1), np.nan + 0j)
    missing = np.argmax(q[..., ::-1] != 0, axis=-1)[..., None]  # powers
    power = np.arange(degree + 1) - missing  # multiplied by x for each missing power: further roots at zero
    q = np.where(power >= 0, np.take_along_axis(q, np.maximum(power, 0), -1), 0.0)
    companion = np.zeros((*q.shape[:-1], degree, degree))
    companion[..., np.arange(1, degree), np.arange(degree - 1)] = 1.0
    companion[..., :, -1] = -q[..., :degree] / np.where(q[..., degree:] == 0, 1.0, q[..., degree:])
    roots = np.linalg.eigvals(companion).astype(complex)
    roots = np.take_along_axis(roots, np.argsort(np.abs(roots), axis=-1), -1)
    return np.where(np.arange(degree) < missing, -np.inf, roots)


def _hurwitz(c: np.ndarray) -> np.ndarray:
    """Return whether all roots of polynomials, highest power first along the last axis, have negative real part."""
    return np.all(_roots(c[..., ::-1]).real < 0, axis=-1)
