"""Identification of a transfer system from records: delay, frequency response, transfer function, step response.

Depends on: core, transfer.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.transfer.identification.factor_fit import FactorFit, fit_factors
    from dovetail.transfer.identification.frequency_response import FrequencyResponse, frequency_response
    from dovetail.transfer.identification.frequency_sampling_filter import StepEstimate, sampled_step_response
    from dovetail.transfer.identification.grey_box import GreyBoxFit, fit_parameters, simulate
    from dovetail.transfer.identification.output_error import TransferFunctionFit, fit_transfer_function
    from dovetail.transfer.identification.recursive import RecursiveIdentification
    from dovetail.transfer.identification.resonance_damping import resonance_damping
    from dovetail.transfer.identification.step_response import StepFeatures, step_features
    from dovetail.transfer.identification.sweep import SweepResponse, sweep_response
    from dovetail.transfer.identification.zero_crossing import ZeroCrossings, crossing_delays

lazily(__name__)


__all__ = [
    "FactorFit",
    "FrequencyResponse",
    "GreyBoxFit",
    "RecursiveIdentification",
    "StepEstimate",
    "StepFeatures",
    "SweepResponse",
    "TransferFunctionFit",
    "ZeroCrossings",
    "crossing_delays",
    "fit_factors",
    "fit_parameters",
    "fit_transfer_function",
    "frequency_response",
    "resonance_damping",
    "sampled_step_response",
    "simulate",
    "step_features",
    "sweep_response",
]
