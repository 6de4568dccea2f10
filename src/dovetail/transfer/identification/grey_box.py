r"""Grey-box identification: parameters of any transfer system by least squares on its simulated output.

.. math:: \min_\theta \sum_k \big(y_k - \hat y_k(\theta)\big)^2

The model is simulated from rest with the measured demand (output error: it uses its own past output, not the measured
one), so noise on the measured signal causes no bias. The derivatives of all samples with respect to all parameters are
computed by forward differentiation of the simulation.
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

from dovetail.core.block import respond
from dovetail.core.errors import ConvergenceError, ParameterError
from dovetail.transfer.base import Transfer

_FAR = 1e6  # replaces an overflowed residual, in units of the standard deviation of the signal


@dataclasses.dataclass(frozen=True)
class GreyBoxFit:
    """Parameters of a transfer system identified from a record, with their uncertainty."""

    model: Transfer
    parameters: np.ndarray
    covariance: np.ndarray  # covariance of the parameters, for independent noise
    residual: np.ndarray  # measured minus simulated
    explained_fraction: float  # 1 - rms(residual) / rms(measured about its mean)

    @property
    def errors(self) -> np.ndarray:
        """Standard error of each parameter."""
        return np.sqrt(np.diag(self.covariance))


def simulate(part: Transfer, demand: ArrayLike, dt: float) -> jax.Array:
    """Return the output of a transfer system from rest for samples of its demand every `dt` [s]."""
    demand = jnp.asarray(demand, float)
    response: jax.Array = respond(part.with_sample_time(dt, demand.shape[1:]), dt, demand)
    return response


@lru_cache(maxsize=16)
def _compiled_simulation(
    build: Callable[[jax.Array], Transfer], dt: float
) -> tuple[Callable[..., jax.Array], Callable[..., jax.Array]]:
    """Return the simulation and its derivative, compiled once for all records fitted with the same `build`."""

    def response(p: jax.Array, u: jax.Array) -> jax.Array:
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
) -> GreyBoxFit:
    """Return the parameters with which the transfer system from `build` best reproduces a record.

    Parameters
    ----------
    build
        Function from an array of parameters to a transfer system; a `Delay` in it needs `max_delay`.
    start
        Initial parameters; also the scale of each parameter (1 if it is zero).
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
            f"got demand {u.shape} and measured {y.shape} for {len(theta)} parameters; expected one axis of equal "
            f"length, with more samples than parameters"
        )
    scale = np.where(theta == 0, 1.0, np.abs(theta))
    size = float(np.std(y)) or 1.0
    response, slope = _compiled_simulation(build, float(dt))

    def residual(p: np.ndarray) -> np.ndarray:
        error = (y - np.asarray(response(p * scale, u))) / size
        return np.asarray(np.nan_to_num(error, nan=_FAR, posinf=_FAR, neginf=-_FAR))

    def jacobian(p: np.ndarray) -> np.ndarray:
        slopes = -np.asarray(slope(p * scale, u)) * scale / size
        return np.asarray(np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0))

    bounds = [
        np.full(len(theta), inf) if bound is None else np.asarray(bound, float) / scale
        for bound, inf in ((lower, -np.inf), (upper, np.inf))
    ]
    fit = scipy.optimize.least_squares(
        residual, theta / scale, jacobian, bounds=bounds, method="trf", x_scale="jac", xtol=1e-12, ftol=1e-12
    )
    remaining = size * fit.fun
    if not fit.success or np.abs(fit.fun).max() >= _FAR:
        raise ConvergenceError(
            f"the fit did not converge in {fit.nfev} simulations: {fit.message} Choose a start closer to the solution, "
            f"or fewer parameters"
        )
    variance = np.sum(fit.fun**2) / max(len(u) - len(theta), 1)
    covariance = variance * np.linalg.pinv(fit.jac.T @ fit.jac) * np.outer(scale, scale)
    explained = 1 - np.std(remaining) / (np.std(y) or 1.0)
    parameters = fit.x * scale
    return GreyBoxFit(build(jnp.asarray(parameters)), parameters, covariance, remaining, float(explained))
