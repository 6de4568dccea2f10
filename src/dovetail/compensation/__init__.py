"""Outer loops that make a late actuator look punctual: predict ahead, invert a model, adapt, add margin.

Depends on: core, transfer.
"""

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.compensation.polynomial import derivative_weights, predictor_weights

__all__ = [
    "derivative_weights",
    "predictor_weights",
]
