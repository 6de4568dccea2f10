r"""Critical delay of a test with one spring specimen, in closed form.

The force of a physical spring acts on a numerical mass, damper and spring through a transfer system of gain a and
delay tau:

.. math:: m\ddot z(t) + c\dot z(t) + k\,z(t) + a k_s\,z(t-\tau) = 0

On the stability boundary a root is :math:`j\omega`, so :math:`|k - m\omega^2 + jc\omega| = |a k_s|`, a
quadratic in :math:`\omega^2`; the phase then gives the delay. With :math:`\omega_n=\sqrt{k/m}`,
:math:`\zeta=c/2\sqrt{mk}`, :math:`\rho=ak_s/k` this is the characteristic equation
:math:`\lambda^2+2\zeta\lambda+1+\rho e^{-\lambda\hat\tau}=0` [Wallace 2006, sec. 3.2.2].

All functions broadcast over arrays and can be compiled and differentiated: a map over damping and stiffness is one
call. Limits: one interface, linear spring specimen, pure delay. For other systems use `DelayEquation`.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import dovetail.core  # noqa: F401  (float64)

Number = float | np.ndarray | jax.Array


class Groups(NamedTuple):
    """Dimensionless groups; omega_n and zeta belong to the numerical substructure alone (k, not k + k_s)."""

    omega_n: Number  # [rad/s] natural frequency of the numerical substructure
    zeta: Number  # damping ratio of the numerical substructure
    rho: Number  # stiffness ratio a k_s / k

    def delay(self, tau_hat: Number) -> Number:
        """Return the delay [s] of a dimensionless delay."""
        return tau_hat / self.omega_n


class Crossings(NamedTuple):
    """Delays at which a pair of roots is on the imaginary axis; NaN if there is none."""

    delay: jax.Array  # [s], last axes: branch (upper, lower frequency), turn n
    omega: jax.Array  # [rad/s], same shape
    direction: jax.Array  # +1: the pair becomes unstable with increasing delay, -1: stable


def groups(*, m: Number, c: Number, k: Number, k_s: Number, a: Number = 1.0) -> Groups:
    """Return natural frequency, damping ratio and stiffness ratio of a single-interface test."""
    return _groups(m, c, k, k_s, a)


def critical_delay(*, m: Number, c: Number, k: Number, k_s: Number, a: Number = 1.0) -> jax.Array:
    """Return the delay [s] at which a single-interface hybrid test first loses stability.

    The test is stable for all smaller delays. Infinite if no delay destabilises it; zero if it is not stable without
    delay.

    Parameters
    ----------
    m, c, k
        Numerical mass [kg], damping [N s/m] and stiffness [N/m].
    k_s
        Stiffness of the specimen [N/m].
    a
        Amplitude ratio of the transfer system.

    Examples
    --------
    >>> round(float(critical_delay(m=2.2, c=15.0, k=2250.0, k_s=2250.0)), 7)
    0.0067695
    """
    return _boundary(m, c, k, k_s, a)[0]


def approximate_critical_delay(*, c: Number, k_s: Number, a: Number = 1.0) -> Number:
    """Return the first-order estimate c / (a k_s) [s]: a delay is a negative damper of a k_s tau [N s/m].

    Accurate to a few per cent below 15 % damping, and mostly conservative [Wallace 2006, eq. 3.11].
    """
    return c / (a * k_s)


def instability_omega(*, m: Number, c: Number, k: Number, k_s: Number, a: Number = 1.0) -> jax.Array:
    """Return the frequency [rad/s] of the oscillation at the critical delay; NaN if there is none."""
    return _boundary(m, c, k, k_s, a)[1]


def approximate_instability_omega(*, m: Number, k: Number, k_s: Number, a: Number = 1.0) -> jax.Array:
    """Return the natural frequency [rad/s] of the complete structure, an estimate of the critical frequency."""
    m, k, k_s, a = (jnp.asarray(v, dtype=float) for v in (m, k, k_s, a))
    return jnp.sqrt((k + a * k_s) / m)


def crossings(*, m: Number, c: Number, k: Number, k_s: Number, a: Number = 1.0, turns: int = 7) -> Crossings:
    """Return all delays below the given number of turns at which a pair of roots crosses the imaginary axis.

    At most two frequencies satisfy the magnitude condition, and each recurs every period: the result has two more
    axes than the parameters, of size 2 (upper and lower frequency) and `turns`.
    """
    m, c, k, k_s, a = (jnp.asarray(v, dtype=float)[..., None] for v in (m, c, k, k_s, a))
    upper = jnp.array([1.0, -1.0])
    w, exists = _omega(m, c, k, a * k_s, upper)
    turn = 2 * jnp.pi * jnp.arange(turns)
    tau = (_phase(m, c, k, a * k_s, w)[..., None] + turn) / w[..., None]
    valid = exists[..., None] & (tau >= 0)
    blank = lambda value: jnp.where(valid, jnp.broadcast_to(value, tau.shape), jnp.nan)  # noqa: E731
    return Crossings(blank(tau), blank(w[..., None]), blank(upper[:, None]))


def stable_intervals(
    *, m: float, c: float, k: float, k_s: float, a: float = 1.0, up_to: float
) -> list[tuple[float, float]]:
    """Return the intervals of delay [s] within [0, up_to] in which the test is stable, for one set of parameters.

    Stability can be regained at larger delays: for rho < 1 there may be several intervals.
    """
    m, c, k, k_s, a = map(float, (m, c, k, k_s, a))
    if not bool(_stable_without_delay(m, c, k, a * k_s)):
        return []  # a test that is unstable without delay is not searched, although a delay could stabilise it
    slowest = instability_omega(m=m, c=c, k=k, k_s=k_s, a=a)
    turns = 1 if np.isnan(slowest) else int(up_to * float(slowest) / (2 * np.pi)) + 2
    crossing = crossings(m=m, c=c, k=k, k_s=k_s, a=a, turns=turns)
    delay, direction = np.ravel(crossing.delay), np.ravel(crossing.direction)
    keep = np.isfinite(delay) & (delay <= up_to)
    intervals, unstable, start = [], 0, 0.0
    for tau, sense in sorted(zip(delay[keep], direction[keep], strict=True)):
        if unstable == 0 and sense > 0:
            intervals.append((start, float(tau)))
        unstable += int(sense)
        if unstable == 0:
            start = float(tau)
    if unstable == 0:
        intervals.append((start, float(up_to)))
    return intervals


def rho_min(zeta: Number) -> jax.Array:
    """Return the stiffness ratio below which no delay destabilises the test, at damping ratio zeta."""
    return _rho_min(zeta)


def delay_independent(*, m: Number, c: Number, k: Number, k_s: Number, a: Number = 1.0) -> jax.Array:
    """Return True where the test is stable for any delay."""
    return jnp.isinf(critical_delay(m=m, c=c, k=k, k_s=k_s, a=a))


def stiffness_chart(zeta: float, omega_hat: Number, n: Number = 0) -> tuple[jax.Array, jax.Array]:
    """Return the boundary curve (tau_hat, rho) of branch n at fixed damping, over dimensionless frequency.

    The test is stable below the lower envelope of all branches [Wallace 2006, fig. 3.1a].
    """
    w = jnp.asarray(omega_hat, dtype=float)
    tau_hat = (jnp.arctan2(2 * zeta * w, w**2 - 1) + 2 * jnp.pi * jnp.asarray(n)) / w
    return tau_hat, jnp.hypot(1 - w**2, 2 * zeta * w)


def damping_chart(rho: float, omega_hat: Number, n: Number = 0) -> tuple[jax.Array, jax.Array]:
    """Return the boundary curve (tau_hat, zeta) of branch n at fixed stiffness ratio, over dimensionless frequency.

    Meaningful for frequencies from sqrt(max(0, 1 - rho)) to sqrt(1 + rho); stable above the curve
    [Wallace 2006, fig. 3.1b].
    """
    w = jnp.asarray(omega_hat, dtype=float)
    tau_hat = (jnp.arccos(jnp.clip((w**2 - 1) / rho, -1, 1)) + 2 * jnp.pi * jnp.asarray(n)) / w
    return tau_hat, jnp.sqrt(jnp.maximum(rho**2 - (1 - w**2) ** 2, 0.0)) / (2 * w)


# compiled once each, for all values


@jax.jit
def _groups(m, c, k, k_s, a):
    m, c, k, k_s, a = map(jnp.asarray, (m, c, k, k_s, a))
    return Groups(jnp.sqrt(k / m), c / (2 * jnp.sqrt(m * k)), a * k_s / k)


@jax.jit
def _rho_min(zeta):
    light = jnp.minimum(jnp.asarray(zeta, dtype=float), jnp.sqrt(0.5))
    return 2 * light * jnp.sqrt(1 - light**2)


@jax.jit
def _boundary(m, c, k, k_s, a):
    """Return the critical delay and its frequency."""
    m, c, k, k_d = (jnp.asarray(v, dtype=float) for v in (m, c, k, a * k_s))
    # stability is lost only where a pair moves to the right, which is at the upper frequency
    w, exists = _omega(m, c, k, k_d, +1.0)
    tau = jnp.where(exists, _phase(m, c, k, k_d, w) / w, jnp.inf)
    delay = jnp.where(_stable_without_delay(m, c, k, k_d), tau, 0.0)
    return delay, jnp.where(exists, w, jnp.nan)


def _omega(m, c, k, k_d, sign):
    """Return the frequency at which the delayed spring k_d balances the other terms, and whether it exists."""
    half = (c**2 - 2 * m * k) / (2 * m**2)  # w^4 + 2 half w^2 + (k^2 - k_d^2)/m^2 = 0
    disc = half**2 - (k**2 - k_d**2) / m**2
    w2 = -half + sign * jnp.sqrt(jnp.maximum(disc, 0.0))
    exists = (disc >= 0) & (w2 > 0)
    return jnp.sqrt(jnp.where(exists, w2, 1.0)), exists


def _phase(m, c, k, k_d, w):
    """Return the angle w tau in [0, 2 pi) at which the delayed spring is opposite to the other terms."""
    sense = jnp.where(k_d < 0, -1.0, 1.0)
    return jnp.mod(jnp.arctan2(sense * c * w, sense * (m * w**2 - k)), 2 * jnp.pi)


def _stable_without_delay(m, c, k, k_d):
    return (jnp.asarray(m) > 0) & (jnp.asarray(c) > 0) & (jnp.asarray(k + k_d) > 0)
