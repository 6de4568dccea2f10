"""All compensators of Dovetail, tuned for the nominal plant of the benchmark, with their drawbacks.

`build` returns the benchmark with a compensator or feedback that is tuned with the published model of the nominal
plant. Perturbed plants are not used for tuning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from dovetail.compensation import (
    AdaptiveForwardPrediction,
    AdaptiveTimeSeries,
    BlendedForce,
    Cascade,
    Compensator,
    FirstOrderInverse,
    FixedCoefficients,
    ForwardPrediction,
    InverseModel,
    MinimalControlSynthesis,
    NoCompensation,
    PhaseAdvance,
    SecondOrderInverse,
    SmithPredictor,
)
from dovetail.testing import Test
from dovetail.transfer import LinearTransfer, Series, ServoHydraulic

FAST = 0.5e-3  # [s] time constant of the zeros that make the inverse of fifth order proper
FIRST_MODE = 22.7  # [rad/s] of case 1, the main frequency of the motion
PHASE_ADVANCE = "amplitude: 30 degrees of lead increase the gain by 50 %"


@dataclasses.dataclass(frozen=True)
class TabledCompensator:
    """Compensator of the table."""

    name: str
    build: Callable[[Test], Test]
    requirements: str  # what must be known or measured
    drawback: str


def plant_of(test: Test) -> ServoHydraulic:
    """Return the plant of the rig, without the converter."""
    series = test.require_rig().as_model().actuator
    assert isinstance(series, Series)
    return next(part for part in series.parts if isinstance(part, ServoHydraulic))


def model(test: Test) -> LinearTransfer:
    """Return the published model of the plant, from demand to displacement."""
    return plant_of(test).linear()


def inverse_coefficients(test: Test) -> np.ndarray:
    """Return p0, p1, p2 ... of 1/G = p0 + p1 s + p2 s^2 + ..., exact for a plant without zeros."""
    plant = model(test)
    return (plant.denominator / plant.numerator[-1])[::-1]


def _with(make: Callable[[Test], Compensator]) -> Callable[[Test], Test]:
    return lambda test: dataclasses.replace(test, compensator=make(test))


def _delay(test: Test) -> float:
    """Return the phase delay of the plant at the first mode [s], plus half a tick for the hold of the converter."""
    return float(model(test).phase_delay(FIRST_MODE)) + test.dt / 2


def _gain(test: Test) -> float:
    return 1.0 / float(np.abs(model(test)(1j * FIRST_MODE)))


def full_inverse(test: Test) -> InverseModel:
    """Return the inverse of the full plant, made proper by three fast zeros."""
    zeros = np.poly(np.full(3, -1.0 / FAST)) * FAST**3
    return InverseModel(numerator=tuple(zeros), denominator=tuple(inverse_coefficients(test)[::-1]))


def inverse_and_prediction(test: Test) -> Cascade:
    """Return the inverse with prediction over its three time constants and the hold of the converter."""
    ahead = jnp.asarray(3 * FAST + test.dt / 2)
    return Cascade((full_inverse(test), ForwardPrediction(ahead, order=2, window=16)))


def second_order_inverse(test: Test) -> SecondOrderInverse:
    """Return the inverse with the first three coefficients."""
    p0, p1, p2 = inverse_coefficients(test)[:3]
    return SecondOrderInverse(mass=p2 / p0, damping=p1 / p0, stiffness=1.0)


def adaptive_time_series(test: Test) -> AdaptiveTimeSeries:
    """Return the compensator that starts at the delay of the plant, with wide limits around its model."""
    p0, p1, p2 = inverse_coefficients(test)[:3]
    return AdaptiveTimeSeries(
        delay=p1,
        smoothing_window=129,  # 31 ms: keeps sensor noise out of the second derivative
        min_coefficients=(0.9 * p0, 0.6 * p1, 0.7 * p2),
        max_coefficients=(1.1 * p0, 1.4 * p1, 1.15 * p2),
        max_coefficient_rate=(0.5, 0.02, 2e-4),
    )


def _smith(test: Test) -> Test:
    plant = plant_of(test)
    return dataclasses.replace(
        test,
        compensator=NoCompensation(),
        feedback=SmithPredictor(test.require_rig().as_model().specimen, plant),
    )


def _blended(test: Test) -> Test:
    return dataclasses.replace(
        test,
        compensator=second_order_inverse(test),
        feedback=BlendedForce(model=test.require_rig().as_model().specimen, measured_fraction=0.5),
    )


ENTRIES = (
    TabledCompensator(
        "none", _with(lambda t: NoCompensation()), "no model", "unstable: the delay of the plant is too large"
    ),
    TabledCompensator(
        "forward prediction",
        _with(lambda t: ForwardPrediction(_delay(t), _gain(t), order=3, window=96)),
        "delay and gain at one frequency",
        "no accuracy at higher modes, small margin: unstable for some perturbed plants",
    ),
    TabledCompensator(
        "fixed coefficients",
        _with(lambda t: FixedCoefficients.from_order(2, 64, delay=_delay(t), gain=_gain(t), max_steps=128)),
        "delay and gain at one frequency",
        "as forward prediction, with the error of a repeated fit",
    ),
    TabledCompensator(
        "adaptive forward prediction",
        _with(
            lambda t: AdaptiveForwardPrediction(
                _delay(t), _gain(t), order=3, window=96, alpha=1.0, beta=0.2, length_unit=1e-3
            )
        ),
        "an initial estimate of delay and gain",
        "as forward prediction; adapts to the first mode only",
    ),
    TabledCompensator(
        "phase advance", _with(lambda t: PhaseAdvance(1.5, FIRST_MODE)), "the first mode", PHASE_ADVANCE
    ),
    TabledCompensator(
        "minimal control synthesis",
        _with(lambda t: MinimalControlSynthesis(120.0, 2.0, 0.02, leak=0.1, length_unit=2e-3)),
        "no model",
        "unstable: it starts without compensation, and its reference model does not fit a lag of fifth order",
    ),
    TabledCompensator(
        "Smith predictor",
        _smith,
        "models of actuator and specimen",
        "with exact models the measured force cancels; the rig keeps its full delay",
    ),
    TabledCompensator(
        "first-order inverse",
        _with(lambda t: FirstOrderInverse(*(1 / inverse_coefficients(t)[[1, 1]]))),
        "the delay at low frequency",
        "no accuracy above the first mode",
    ),
    TabledCompensator(
        "second-order inverse",
        _with(second_order_inverse),
        "a model of second order",
        "no accuracy at the third mode; no robustness to a perturbed plant",
    ),
    TabledCompensator(
        "second-order inverse, prediction",
        _with(
            lambda t: Cascade(
                (second_order_inverse(t), ForwardPrediction(jnp.asarray(t.dt / 2), order=2, window=16))
            )
        ),
        "a model of second order",
        "as second-order inverse; prediction of the hold adds noise",
    ),
    TabledCompensator(
        "second-order inverse, phase advance",
        _with(lambda t: PhaseAdvance(1.02, FIRST_MODE, second_order_inverse(t))),
        "a model of second order",
        "accuracy: 2 % gain error for one degree of lead",
    ),
    TabledCompensator(
        "second-order inverse, half the force modelled",
        _blended,
        "models of actuator and specimen",
        "half of the specimen force is from a model, whose error is not noticed",
    ),
    TabledCompensator(
        "inverse model",
        _with(full_inverse),
        "a model of full order",
        "the three time constants that make it proper remain as delay",
    ),
    TabledCompensator(
        "inverse model, prediction",
        _with(inverse_and_prediction),
        "a model of full order",
        "noise reaches the valve; no robustness to a perturbed plant",
    ),
    TabledCompensator(
        "adaptive time series",
        _with(adaptive_time_series),
        "an initial model of second order, with limits",
        "inaccurate in the first second; more computing time",
    ),
)
COMPENSATORS = {entry.name: entry for entry in ENTRIES}
BEST = "adaptive time series"
