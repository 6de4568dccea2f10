r"""Identification of contact stiffness and damping from measured impacts.

Each measured impact has a peak force and a peak penetration, measured with the instruments of its testbed. The laws
are simulated with the same instruments; stiffness and damping factor follow by least squares on

.. math:: r = \Big(\ln\frac{F_{sim}}{F_{meas}},\; \ln\frac{\delta_{sim}}{\delta_{meas}}\Big)

with derivatives by forward-mode differentiation of the simulation. The exponent cannot be identified from peaks. It is
given, and fits with several exponents can be compared by their residuals.
"""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core.errors import ConvergenceError, ParameterError
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor
from dovetail.studies.docking.impact import Instruments, first_impact


@dataclasses.dataclass(frozen=True)
class MeasuredImpacts:
    """Measured peaks of impacts of one pair of materials, each with its mass and speed."""

    mass: np.ndarray  # [kg] reduced
    speed: np.ndarray  # [m/s]
    force: np.ndarray  # [N] peak
    depth: np.ndarray  # [m] peak

    def __post_init__(self):
        shapes = set()
        for field in dataclasses.fields(self):
            values = np.atleast_1d(np.asarray(getattr(self, field.name), float))
            if not np.all(values > 0):
                raise ParameterError(f"MeasuredImpacts.{field.name}: {values.min():g} is not above 0")
            object.__setattr__(self, field.name, values)
            shapes.add(values.shape)
        if len(shapes) != 1:
            raise ParameterError(
                "MeasuredImpacts: mass, speed, force and depth differ in length; give one value for each impact"
            )


@dataclasses.dataclass(frozen=True)
class ContactFit:
    """Stiffness and damping factor with the best fit to measured peaks."""

    stiffness: float  # [N/m^n]
    factor: float  # damping factor Lambda
    exponent: float
    force_error: float  # rms of the logarithm of simulated over measured force: 0.1 is about 10 %
    depth_error: float  # rms of the logarithm of simulated over measured penetration
    covariance: np.ndarray  # of (ln stiffness, factor)

    @property
    def error(self) -> float:
        """rms error of force and penetration together."""
        return float(np.sqrt((self.force_error**2 + self.depth_error**2) / 2))

    @property
    def law(self) -> DampingFactor:
        """Contact law with the fitted parameters."""
        return DampingFactor(
            stiffness=ConstantStiffness(self.stiffness), exponent=self.exponent, factor=self.factor
        )


@eqx.filter_jit
def _log_peaks(log_stiffness, factor, mass, speed, tools, exponent: float, steps: int):
    def one(mass, speed):
        law = DampingFactor(
            stiffness=ConstantStiffness(jnp.exp(log_stiffness)), exponent=exponent, factor=factor
        )
        hil = first_impact(law, mass, speed, tools, steps=steps).hil
        return jnp.stack([jnp.log(hil.peak_contact_force), jnp.log(hil.peak_depth)])

    return jax.vmap(one)(mass, speed)


_slopes = eqx.filter_jit(lambda theta, *rest: jax.jacfwd(lambda t: _log_peaks(t[0], t[1], *rest))(theta))


def peak_errors(
    impacts: MeasuredImpacts, tools: Instruments, stiffness, factor, exponent: float = 1.5, steps: int = 1500
) -> np.ndarray:
    """Return the logarithms of simulated over measured force and penetration, (impacts, 2)."""
    simulated = _log_peaks(
        jnp.log(stiffness), jnp.asarray(factor, float), impacts.mass, impacts.speed, tools, exponent, steps
    )
    return np.asarray(simulated) - np.log(np.stack([impacts.force, impacts.depth], 1))


def fit_contact(
    impacts: MeasuredImpacts,
    tools: Instruments,
    *,
    stiffness: float,
    factor: float = 0.4,
    exponent: float = 1.5,
    steps: int = 1500,
) -> ContactFit:
    """Fit stiffness and damping factor (0 to 5) to measured peaks, from given initial values."""
    measured = np.log(np.stack([impacts.force, impacts.depth], 1))
    rest = (impacts.mass, impacts.speed, tools, exponent, steps)

    def miss(theta):
        return (np.asarray(_log_peaks(theta[0], theta[1], *rest)) - measured).ravel()

    def slope(theta):
        return np.asarray(_slopes(jnp.asarray(theta), *rest)).reshape(-1, 2)

    start = np.array([np.log(stiffness), np.clip(factor, 1e-6, 4.999)])
    solution = scipy.optimize.least_squares(
        miss, start, slope, bounds=([-np.inf, 0.0], [np.inf, 5.0]), x_scale=[0.1, 0.1]
    )
    if not solution.success or not np.isfinite(solution.fun).all():
        raise ConvergenceError(
            f"the contact fit did not converge: {solution.message} Use another initial stiffness"
        )
    left = solution.fun.reshape(-1, 2)
    variance = np.sum(left**2) / max(left.size - 2, 1)
    return ContactFit(
        stiffness=float(np.exp(solution.x[0])),
        factor=float(solution.x[1]),
        exponent=exponent,
        force_error=float(np.sqrt(np.mean(left[:, 0] ** 2))),
        depth_error=float(np.sqrt(np.mean(left[:, 1] ** 2))),
        covariance=variance * np.linalg.pinv(solution.jac.T @ solution.jac),
    )
