"""Accuracy of hybrid tests: errors, delay, synchronisation, actuator utilisation, spectra, growth rate, energy.

Depends on: core, transfer, compensation, testing. Works on recorded
datasets (xarray), so it applies to a rehearsal, a real-time run and a replay.

Every function takes a dataset or an object with a dataset as `.data`. Signals that are too short, not finite
or without motion raise an `AnalysisError`.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.fidelity.acceptance import evaluate_criteria
    from dovetail.fidelity.actuator_utilisation import Envelope, Utilisation, utilisation
    from dovetail.fidelity.audit import Audit, audit, results
    from dovetail.fidelity.compare import Comparison, compare
    from dovetail.fidelity.contributions import Contribution, contributions
    from dovetail.fidelity.delay import delay_at, delay_by_correlation, delay_by_crossings, response_at
    from dovetail.fidelity.energy import EnergyAdded, energy_added, energy_in_time
    from dovetail.fidelity.error_budget import ErrorBudget, error_budget
    from dovetail.fidelity.errors import Proposition1, errors, local_error, norms, peak, proposition_1, rms
    from dovetail.fidelity.force_velocity import (
        DamperCharacteristic,
        DamperMatch,
        characteristic,
        match_dampers,
        smooth_velocity,
    )
    from dovetail.fidelity.growth import growth_rate
    from dovetail.fidelity.impact_errors import (
        ImpactErrors,
        ImpactTrace,
        SignalErrors,
        first_contact_errors,
        impact_errors,
    )
    from dovetail.fidelity.impacts import ImpactEvent, energy_balance, find_impacts, impact_log
    from dovetail.fidelity.measured_traces import read_traces, smooth
    from dovetail.fidelity.pose_error import euclidean_norm, frobenius_norm, pose_error
    from dovetail.fidelity.rths_criteria import RthsCriteria, criteria_of, rths_criteria
    from dovetail.fidelity.spectra import Peak, amplitude_spectrum, peaks, spectrum_map
    from dovetail.fidelity.synchronisation import (
        SynchronisationLoop,
        fraction_outside_delay_band,
        outside_delay_band,
        overlay,
        synchronisation_loop,
    )
    from dovetail.fidelity.validation import Validation, validate, validation_from_percent

lazily(__name__)


__all__ = [
    "Audit",
    "Comparison",
    "Contribution",
    "DamperCharacteristic",
    "DamperMatch",
    "EnergyAdded",
    "Envelope",
    "ErrorBudget",
    "ImpactErrors",
    "ImpactEvent",
    "ImpactTrace",
    "Peak",
    "Proposition1",
    "RthsCriteria",
    "SignalErrors",
    "SynchronisationLoop",
    "Utilisation",
    "Validation",
    "amplitude_spectrum",
    "audit",
    "characteristic",
    "compare",
    "contributions",
    "criteria_of",
    "delay_at",
    "delay_by_correlation",
    "delay_by_crossings",
    "energy_added",
    "energy_balance",
    "energy_in_time",
    "error_budget",
    "errors",
    "euclidean_norm",
    "evaluate_criteria",
    "find_impacts",
    "first_contact_errors",
    "fraction_outside_delay_band",
    "frobenius_norm",
    "growth_rate",
    "impact_errors",
    "impact_log",
    "local_error",
    "match_dampers",
    "norms",
    "outside_delay_band",
    "overlay",
    "peak",
    "peaks",
    "pose_error",
    "proposition_1",
    "read_traces",
    "response_at",
    "results",
    "rms",
    "rths_criteria",
    "smooth",
    "smooth_velocity",
    "spectrum_map",
    "synchronisation_loop",
    "utilisation",
    "validate",
    "validation_from_percent",
]
