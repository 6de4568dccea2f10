"""Every compensator of Dovetail for the benchmark's nominal plant, tuned there, with what it trades away.

`build` takes the benchmark on its nominal plant and returns it with the compensator, or the feedback, set
from that plant's published model. Nothing here knows a perturbed plant.
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
FIRST_MODE = 22.7  # [rad/s] of case 1, where the motion is
PHASE_ADVANCE = "the size of the motion: thirty degrees of lead come with half as much gain again"


@dataclasses.dataclass(frozen=True)
class TabledCompensator:
    """A compensator of the table."""

    name: str
    build: Callable[[Test], Test]
    needs: str  # what must be known or measured
    trades: str  # what it gives away for what it does


def plant_of(test: Test) -> ServoHydraulic:
    """The plant behind the converter."""
    series = test.rig.modelled().actuator
    assert isinstance(series, Series)
    return next(part for part in series.parts if isinstance(part, ServoHydraulic))


def model(test: Test) -> LinearTransfer:
    """The plant's published model, from demand to displacement."""
    return plant_of(test).linear()


def inverse_coefficients(test: Test) -> np.ndarray:
    """p0, p1, p2 ...: 1/G = p0 + p1 s + p2 s^2 + ..., exact for a plant without zeros."""
    plant = model(test)
    return (plant.denominator / plant.numerator[-1])[::-1]


def _with(make: Callable[[Test], Compensator]) -> Callable[[Test], Test]:
    return lambda test: dataclasses.replace(test, compensator=make(test))


def _delay(test: Test) -> float:
    """Phase delay of the plant at the first mode [s], with half a tick for the converter's hold."""
    return float(model(test).phase_delay(FIRST_MODE)) + test.dt / 2


def _gain(test: Test) -> float:
    return 1.0 / float(np.abs(model(test)(1j * FIRST_MODE)))


def full_inverse(test: Test) -> InverseModel:
    """The whole plant inverted, made proper by three fast zeros."""
    zeros = np.poly(np.full(3, -1.0 / FAST)) * FAST**3
    return InverseModel(numerator=tuple(zeros), denominator=tuple(inverse_coefficients(test)[::-1]))


def inverse_and_prediction(test: Test) -> Cascade:
    """The inverse, and prediction over its three zeros and the converter's hold."""
    ahead = jnp.asarray(3 * FAST + test.dt / 2)
    return Cascade((full_inverse(test), ForwardPrediction(ahead, order=2, window=16)))


def second_order_inverse(test: Test) -> SecondOrderInverse:
    """The first three coefficients of the inverse."""
    p0, p1, p2 = inverse_coefficients(test)[:3]
    return SecondOrderInverse(mass=p2 / p0, damping=p1 / p0, stiffness=1.0)


def adaptive_time_series(test: Test) -> AdaptiveTimeSeries:
    """Start at the plant's delay; limits well around its model."""
    p0, p1, p2 = inverse_coefficients(test)[:3]
    return AdaptiveTimeSeries(
        delay=p1,
        smoothing=129,  # 31 ms: the sensor's noise must not reach the second derivative
        lowest=(0.9 * p0, 0.6 * p1, 0.7 * p2),
        highest=(1.1 * p0, 1.4 * p1, 1.15 * p2),
        rate=(0.5, 0.02, 2e-4),
    )


def _smith(test: Test) -> Test:
    plant = plant_of(test)
    return dataclasses.replace(
        test, compensator=NoCompensation(), feedback=SmithPredictor(test.rig.modelled().specimen, plant)
    )


def _blended(test: Test) -> Test:
    return dataclasses.replace(
        test,
        compensator=second_order_inverse(test),
        feedback=BlendedForce(model=test.rig.modelled().specimen, share=0.5),
    )


ENTRIES = (
    TabledCompensator(
        "none", _with(lambda t: NoCompensation()), "nothing", "stability: the plant is too late"
    ),
    TabledCompensator(
        "forward prediction",
        _with(lambda t: ForwardPrediction(_delay(t), _gain(t), order=3, window=96)),
        "delay and gain at one frequency",
        "the higher modes, and with them margin: lost on some perturbed plants",
    ),
    TabledCompensator(
        "fixed coefficients",
        _with(lambda t: FixedCoefficients.of_order(2, 64, delay=_delay(t), gain=_gain(t), steps=128)),
        "delay and gain at one frequency",
        "as forward prediction, with the error of repeating a fit",
    ),
    TabledCompensator(
        "adaptive forward prediction",
        _with(
            lambda t: AdaptiveForwardPrediction(
                _delay(t), _gain(t), order=3, window=96, alpha=1.0, beta=0.2, length_unit=1e-3
            )
        ),
        "a first guess of delay and gain",
        "the higher modes and margin, as forward prediction; it learns the first mode only",
    ),
    TabledCompensator(
        "phase advance", _with(lambda t: PhaseAdvance(1.5, FIRST_MODE)), "the first mode", PHASE_ADVANCE
    ),
    TabledCompensator(
        "minimal control synthesis",
        _with(lambda t: MinimalControlSynthesis(120.0, 2.0, 0.02, leak=0.1, length_unit=2e-3)),
        "nothing",
        "stability: it starts as the bare loop, and a lag of fifth order is not of the form it adapts to",
    ),
    TabledCompensator(
        "Smith predictor",
        _smith,
        "models of actuator and specimen",
        "the test itself: with exact models the measured force cancels, and the rig is late throughout",
    ),
    TabledCompensator(
        "first-order inverse",
        _with(lambda t: FirstOrderInverse(*(1 / inverse_coefficients(t)[[1, 1]]))),
        "the delay of slow motion",
        "everything above the first mode",
    ),
    TabledCompensator(
        "second-order inverse",
        _with(second_order_inverse),
        "a model of second order",
        "the third mode; a plant off its model shows in full",
    ),
    TabledCompensator(
        "second-order inverse, prediction",
        _with(
            lambda t: Cascade(
                (second_order_inverse(t), ForwardPrediction(jnp.asarray(t.dt / 2), order=2, window=16))
            )
        ),
        "a model of second order",
        "as second-order inverse; the converter's hold is predicted, at some noise",
    ),
    TabledCompensator(
        "second-order inverse, phase advance",
        _with(lambda t: PhaseAdvance(1.02, FIRST_MODE, second_order_inverse(t))),
        "a model of second order",
        "accuracy for margin: two per cent of gain for one degree of lead",
    ),
    TabledCompensator(
        "second-order inverse, half the force modelled",
        _blended,
        "models of actuator and specimen",
        "half of the specimen's own behaviour: a wrong model of it would not be noticed",
    ),
    TabledCompensator(
        "inverse model",
        _with(full_inverse),
        "a model of full order",
        "the three time constants that make it proper are left as delay",
    ),
    TabledCompensator(
        "inverse model, prediction",
        _with(inverse_and_prediction),
        "a model of full order",
        "a smooth command: noise reaches the valve; a plant off its model shows in full",
    ),
    TabledCompensator(
        "adaptive time series",
        _with(adaptive_time_series),
        "a model of second order to start with, and limits around it",
        "the first second, until it has learnt; computing time",
    ),
)
COMPENSATORS = {entry.name: entry for entry in ENTRIES}
BEST = "adaptive time series"
