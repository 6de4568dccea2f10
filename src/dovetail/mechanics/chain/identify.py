r"""Identification of rope parameters, mainly damping, from a measured motion.

Least squares in the logarithms of positive parameters, :math:`\min_\theta |y(e^\theta) - \hat y|^2`, with derivatives
of the simulation by automatic differentiation. Standard deviations are those of the linearised problem with the
variance of the residual: they describe noise, not model errors. The source proposes a hanging rope with a moving
support as experiment [Mastrogiuseppe 2023, sec. 5.2].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core.errors import ConvergenceError, ParameterError


@dataclasses.dataclass(frozen=True)
class IdentifiedParameters:
    """Identified parameters, by name."""

    value: dict[str, float]
    relative_error: dict[str, float]  # standard deviation divided by value
    residual: float  # rms, in the unit of the measurement
    evaluations: int


def identify(
    simulate: Callable[[dict[str, jax.Array]], jax.Array], measured: Any, start: Mapping[str, float]
) -> IdentifiedParameters:
    """Return the parameters for which `simulate` is closest to `measured`.

    Parameters
    ----------
    simulate : function of named parameters, differentiable by JAX, that returns the measured quantity.
    measured : array of the same shape.
    start : initial guesses, positive.
    """
    names = list(start)
    wrong = [name for name in names if not start[name] > 0]
    if wrong:
        raise ParameterError(f"identify: the initial guess of {', '.join(wrong)} must be above 0")
    target = np.asarray(measured, float).ravel()

    def model(theta: jax.Array) -> jax.Array:
        return jnp.ravel(simulate(dict(zip(names, jnp.exp(theta), strict=True))))

    value, slope = jax.jit(model), jax.jit(jax.jacfwd(model))
    first = np.log([start[name] for name in names])
    fit = scipy.optimize.least_squares(
        lambda theta: np.asarray(value(theta)) - target, first, jac=lambda theta: np.asarray(slope(theta))
    )
    if not fit.success or not np.isfinite(fit.cost):
        raise ConvergenceError(f"identify: {fit.message} Use better initial guesses or a longer measurement.")
    freedom = max(1, target.size - len(names))
    covariance = 2 * fit.cost / freedom * np.linalg.pinv(fit.jac.T @ fit.jac)
    return IdentifiedParameters(
        dict(zip(names, np.exp(fit.x).tolist(), strict=True)),
        dict(zip(names, np.sqrt(np.diag(covariance)).tolist(), strict=True)),
        float(np.sqrt(2 * fit.cost / target.size)),
        int(fit.nfev),
    )
