r"""Parameters of any transfer system from a record, by least squares on its simulated output.

.. math:: \min_\theta \sum_k \big(y_k - \hat y_k(\theta)\big)^2

The model is simulated from rest with the measured demand (output error: its own past output feeds it, not
the measured one), so noise on the measured signal does not bias. The derivative of every sample with
respect to every parameter comes by forward differentiation of the simulation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from numpy.typing import ArrayLike

from dovetail.core.errors import ConvergenceError, ParameterError
from dovetail.transfer.base import Transfer

_FAR = 1e6  # stands for a residual that overflowed, in units of the signal's size


@dataclasses.dataclass(frozen=True)
class Fit:
    """Parameters of a transfer system found from a record, and how well they are known."""

    model: Transfer
    parameters: np.ndarray
    covariance: np.ndarray  # of the parameters, for independent noise
    residual: np.ndarray  # measured less simulated
    share: float  # of the variation explained: 1 - rms(residual) / rms(measured about its mean)

    @property
    def errors(self) -> np.ndarray:
        """Standard error of each parameter."""
        return np.sqrt(np.diag(self.covariance))


def simulate(part: Transfer, demand: ArrayLike, dt: float) -> jax.Array:
    """Output of a transfer system from rest for samples of its demand every `dt` [s]."""
    demand = jnp.asarray(demand, float)
    part = part.sampled_at(dt, demand.shape[1:])

    def step(carry, u):
        x, t = carry
        x, y = part.step(t, dt, x, u)
        return (x, t + dt), y

    return jax.lax.scan(step, (part.init(), jnp.zeros(())), demand)[1]


@lru_cache(maxsize=16)
def _compiled(build: Callable[[jax.Array], Transfer], dt: float):
    """Simulation and its derivative, compiled once for all records fitted with the same `build`."""

    def response(p, u):
        return simulate(build(p), u, dt)

    return jax.jit(response), jax.jit(jax.jacfwd(response))


def fit_parameters(
    build: Callable[[jax.Array], Transfer],
    start: ArrayLike,
    demand: np.ndarray,
    measured: np.ndarray,
    dt: float,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
) -> Fit:
    """Parameters with which the transfer system that `build` makes of them reproduces a record best.

    Parameters
    ----------
    build
        Makes a transfer system from an array of parameters; a `Delay` in it needs its `longest`.
    start
        Where to look first; also the scale of each parameter (1 where it is zero).
    demand, measured
        Samples every `dt` [s], of one axis, from rest.
    lower, upper : optional
        Bounds of the parameters.

    Examples
    --------
    The spring and damper of a physically plausible actuator of known mass [kg]:

    >>> from dovetail.transfer import TransferFunction
    >>> m = 2.2
    >>> def build(p):
    ...     c, k = p
    ...     return TransferFunction(k[None], jnp.stack([m, c, k]))
    >>> u = np.r_[np.zeros(5), np.ones(200)]
    >>> y = simulate(build(jnp.array([150.8, 13618.0])), u, 1e-3)
    >>> fit = fit_parameters(build, [100.0, 1e4], u, y, 1e-3)
    >>> [round(float(p), 1) for p in fit.parameters]
    [150.8, 13618.0]
    """
    u, y, theta = (np.asarray(a, float) for a in (demand, measured, start))
    if u.ndim != 1 or u.shape != y.shape or len(u) <= len(theta):
        raise ParameterError(
            f"demand {u.shape} and measured {y.shape} for {len(theta)} parameters: give one axis of equal "
            f"length, with more samples than parameters"
        )
    scale = np.where(theta == 0, 1.0, np.abs(theta))
    size = float(np.std(y)) or 1.0
    response, slope = _compiled(build, float(dt))

    def residual(p):
        miss = (y - np.asarray(response(p * scale, u))) / size
        return np.nan_to_num(miss, nan=_FAR, posinf=_FAR, neginf=-_FAR)

    def jacobian(p):
        slopes = -np.asarray(slope(p * scale, u)) * scale / size
        return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)

    bounds = [
        np.full(len(theta), inf) if given is None else np.asarray(given, float) / scale
        for given, inf in ((lower, -np.inf), (upper, np.inf))
    ]
    fit = scipy.optimize.least_squares(
        residual, theta / scale, jacobian, bounds=bounds, method="trf", x_scale="jac", xtol=1e-12, ftol=1e-12
    )
    left = size * fit.fun
    if not fit.success or np.abs(fit.fun).max() >= _FAR:
        raise ConvergenceError(
            f"the fit did not arrive after {fit.nfev} simulations: {fit.message} Start nearer, or "
            f"ask for fewer parameters"
        )
    variance = np.sum(fit.fun**2) / max(len(u) - len(theta), 1)
    covariance = variance * np.linalg.pinv(fit.jac.T @ fit.jac) * np.outer(scale, scale)
    share = 1 - np.std(left) / (np.std(y) or 1.0)
    parameters = fit.x * scale
    return Fit(build(jnp.asarray(parameters)), parameters, covariance, left, float(share))
