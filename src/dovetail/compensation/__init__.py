"""Compensation of actuator delay: prediction, inverse models, adaptation, stability margin.

Depends on: core, transfer.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.compensation.adaptive_forward_prediction import AdaptiveForwardPrediction
    from dovetail.compensation.adaptive_time_series import AdaptiveTimeSeries
    from dovetail.compensation.base import Compensator
    from dovetail.compensation.cascade import Cascade
    from dovetail.compensation.design import (
        Decision,
        PredictorDesign,
        check_predictor,
        design_predictor,
        max_horizon,
        noise_gain,
        prediction_error,
        predictor_frequency,
    )
    from dovetail.compensation.fixed_coefficients import FixedCoefficients
    from dovetail.compensation.force_blending import (
        BlendedForce,
        Feedback,
        ForceExtrapolation,
        MeasuredForce,
    )
    from dovetail.compensation.forward_prediction import ForwardPrediction
    from dovetail.compensation.inverse import (
        FirstOrderInverse,
        InverseModel,
        SecondOrderInverse,
        make_inverse,
    )
    from dovetail.compensation.minimal_control_synthesis import MinimalControlSynthesis
    from dovetail.compensation.none import NoCompensation
    from dovetail.compensation.passivity import PassivityControl
    from dovetail.compensation.phase_advance import PhaseAdvance
    from dovetail.compensation.polynomial import predictor_weights
    from dovetail.compensation.smith import SmithPredictor

lazily(__name__)


__all__ = [
    "AdaptiveForwardPrediction",
    "AdaptiveTimeSeries",
    "BlendedForce",
    "Cascade",
    "Compensator",
    "Decision",
    "Feedback",
    "FirstOrderInverse",
    "FixedCoefficients",
    "ForceExtrapolation",
    "ForwardPrediction",
    "InverseModel",
    "MeasuredForce",
    "MinimalControlSynthesis",
    "NoCompensation",
    "PassivityControl",
    "PhaseAdvance",
    "PredictorDesign",
    "SecondOrderInverse",
    "SmithPredictor",
    "check_predictor",
    "design_predictor",
    "make_inverse",
    "max_horizon",
    "noise_gain",
    "prediction_error",
    "predictor_frequency",
    "predictor_weights",
]
