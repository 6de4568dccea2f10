"""Outer loops that make a late actuator look punctual: predict ahead, invert a model, adapt, add margin.

Depends on: core, transfer.
"""

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.compensation.adaptive_forward_prediction import AdaptiveForwardPrediction
from dovetail.compensation.base import Compensator
from dovetail.compensation.chain import Chain
from dovetail.compensation.fixed_coefficients import FixedCoefficients
from dovetail.compensation.force_blending import (
    BlendedForce,
    Feedback,
    HeldForceExtrapolation,
    MeasuredForce,
)
from dovetail.compensation.forward_prediction import ForwardPrediction
from dovetail.compensation.inverse import (
    FirstOrderInverse,
    InverseModel,
    SecondOrderInverse,
    inverse_of,
)
from dovetail.compensation.none import NoCompensation
from dovetail.compensation.phase_advance import PhaseAdvance
from dovetail.compensation.polynomial import derivative_weights, predictor_weights

__all__ = [
    "AdaptiveForwardPrediction",
    "BlendedForce",
    "Chain",
    "Compensator",
    "Feedback",
    "FirstOrderInverse",
    "FixedCoefficients",
    "ForwardPrediction",
    "HeldForceExtrapolation",
    "InverseModel",
    "MeasuredForce",
    "NoCompensation",
    "PhaseAdvance",
    "SecondOrderInverse",
    "derivative_weights",
    "inverse_of",
    "predictor_weights",
]
