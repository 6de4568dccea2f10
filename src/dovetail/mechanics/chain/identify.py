r"""Parameters of a rope from a measurement of its motion: damping above all, which no data sheet gives.

Least squares in the logarithms of positive parameters, :math:`\min_\theta |y(e^\theta) - \hat y|^2`, with the
derivatives of the whole simulation by automatic differentiation. The standard deviations are those of the linearised
problem with the residual's own variance: what the noise explains, not what a wrong model adds. The source proposes the
hanging rope with a moved support as the experiment [Mastrogiuseppe 2023, sec. 5.2].
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
class Identified:
    """Parameters found, by name."""

    value: dict[str, float]
    relative_error: dict[str, float]  # standard deviation over value
    residual: float  # rms, in the unit of the measurement
    evaluations: int


def identify(
    simulate: Callable[[dict[str, jax.Array]], jax.Array], measured: Any, start: Mapping[str, float]
) -> Identified:
    """Parameters with which `simulate` comes closest to what was `measured`.

    Parameters
    ----------
    simulate : function of named parameters, differentiable by JAX, that gives what was measured.
    measured : array of the same shape.
    start : first guesses, positive.
    """
    names = list(start)
    wrong = [name for name in names if not start[name] > 0]
    if wrong:
        raise ParameterError(f"identify: the first guess of {', '.join(wrong)} must be above 0")
    target = np.asarray(measured, float).ravel()

    def model(theta):
        return jnp.ravel(simulate(dict(zip(names, jnp.exp(theta), strict=True))))

    value, slope = jax.jit(model), jax.jit(jax.jacfwd(model))
    first = np.log([start[name] for name in names])
    fit = scipy.optimize.least_squares(
        lambda theta: np.asarray(value(theta)) - target, first, jac=lambda theta: np.asarray(slope(theta))
    )
    if not fit.success or not np.isfinite(fit.cost):
        raise ConvergenceError(f"identify: {fit.message} Do: start closer, or measure longer")
    freedom = max(1, target.size - len(names))
    covariance = 2 * fit.cost / freedom * np.linalg.pinv(fit.jac.T @ fit.jac)
    return Identified(
        dict(zip(names, np.exp(fit.x).tolist(), strict=True)),
        dict(zip(names, np.sqrt(np.diag(covariance)).tolist(), strict=True)),
        float(np.sqrt(2 * fit.cost / target.size)),
        int(fit.nfev),
    )
