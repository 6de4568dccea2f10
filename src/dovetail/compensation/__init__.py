"""Outer loops that make a late actuator look punctual: predict ahead, invert a model, adapt, add margin.

Depends on: core.
"""

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.compensation.adaptive_forward_prediction import AdaptiveForwardPrediction
from dovetail.compensation.base import Compensator
from dovetail.compensation.force_blending import (
    BlendedForce,
    Feedback,
    HeldForceExtrapolation,
    MeasuredForce,
)
from dovetail.compensation.forward_prediction import ForwardPrediction
from dovetail.compensation.none import NoCompensation
from dovetail.compensation.polynomial import derivative_weights, predictor_weights

__all__ = [
    "AdaptiveForwardPrediction",
    "BlendedForce",
    "Compensator",
    "Feedback",
    "ForwardPrediction",
    "HeldForceExtrapolation",
    "MeasuredForce",
    "NoCompensation",
    "derivative_weights",
    "predictor_weights",
]
