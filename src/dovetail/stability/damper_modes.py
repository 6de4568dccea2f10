r"""Damper as specimen of a modal model: critical delay of each mode.

For each mode, with the damper linearised to a modal damping kappa,

.. math:: \ddot\phi + c\dot\phi + \omega_0^2\phi + \kappa\,\dot\phi(t-\tau) = 0

On the boundary :math:`|\omega_0^2-\omega^2 + jc\omega| = \kappa\omega`. With kappa <= c any delay is stable;
otherwise, with :math:`k'=\sqrt{\kappa^2-c^2}`, :math:`\omega=(k'+\sqrt{k'^2+4\omega_0^2})/2` and
:math:`\tau_c=(\pi/2+\arctan(c/k'))/\omega`. A stiff damper has a critical delay of about :math:`\pi/2\kappa` for any
mode: delay turns a *damper* into a spring, so the margin is a quarter of a period, not a damping ratio
[Wallace 2006, sec. 6.8].

Neglected: coupling of the modes through the damper, compressibility of the oil. Use `linear_loop` for both.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import dovetail.core  # noqa: F401  (float64)
from dovetail.stability.delay_equation import DelayEquation
from dovetail.stability.single_interface import Number


class ModeLimits(NamedTuple):
    """Critical delay of each mode and the mode with the smallest."""

    delay: jax.Array  # [s] per mode, infinite if any delay is stable
    mode: int  # index of the smallest
    min_delay: float  # [s]


def critical_delay(*, omega_0: Number, c: Number, kappa: Number) -> jax.Array:
    """Return the critical delay [s] of modes of frequency omega_0 [rad/s], damping c and damper kappa [1/s]."""
    return _boundary(omega_0, c, kappa)[0]


def instability_omega(*, omega_0: Number, c: Number, kappa: Number) -> jax.Array:
    """Return the frequency [rad/s] at the critical delay; NaN if any delay is stable."""
    return _boundary(omega_0, c, kappa)[1]


def limits(*, omega_0: Number, c: Number, kappa: Number) -> ModeLimits:
    """Return the critical delays of all modes and the smallest of them, the critical delay of the test."""
    delay = critical_delay(omega_0=omega_0, c=c, kappa=kappa)
    mode = int(np.argmin(np.asarray(delay)))
    return ModeLimits(delay, mode, float(np.asarray(delay)[mode]))


def equation(*, omega_0: float, c: float, kappa: float, tau: float, stiffness: float = 0.0) -> DelayEquation:
    """Return the delay equation of one mode; `stiffness` [1/s^2] is a delayed spring, for compressible oil."""
    undelayed = [[0.0, 1.0], [-(float(omega_0) ** 2), -float(c)]]
    return DelayEquation(undelayed, [([[0.0, 0.0], [-float(stiffness), -float(kappa)]], tau)])


@jax.jit
def _boundary(omega_0, c, kappa):
    """Return the critical delay and its frequency."""
    omega_0, c, kappa = (jnp.asarray(v, dtype=float) for v in (omega_0, c, kappa))
    exists = kappa > c
    excess = jnp.sqrt(jnp.where(exists, kappa**2 - c**2, 1.0))
    w = (excess + jnp.sqrt(excess**2 + 4 * omega_0**2)) / 2
    delay = (jnp.pi / 2 + jnp.arctan2(c, excess)) / w
    return jnp.where(exists, delay, jnp.inf), jnp.where(exists, w, jnp.nan)
