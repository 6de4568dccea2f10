"""Can a hybrid test be believed? Errors, delay, synchronisation, capacity, spectra, growth, energy.

Depends on: core, transfer, compensation, testing; a comparison asks report to show it. Works on
recorded datasets (xarray), so it serves a rehearsal, a real run and a replay.

Every function takes a dataset or anything with one as `.data`; traces that are too short, not finite or at
rest are answered with an `AnalysisError` that says so, never with a number.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.fidelity.actuator_utilisation import Envelope, Utilisation, utilisation
    from dovetail.fidelity.audit import Audit, audit
    from dovetail.fidelity.compare import Comparison, compare
    from dovetail.fidelity.contributions import Contribution, contributions
    from dovetail.fidelity.delay import delay_at, delay_by_correlation, delay_by_crossings, response_at
    from dovetail.fidelity.energy import EnergyAdded, energy_added, energy_in_time
    from dovetail.fidelity.error_budget import ErrorBudget, error_budget
    from dovetail.fidelity.errors import Proposition1, errors, local_error, norms, peak, proposition_1, rms
    from dovetail.fidelity.force_velocity import (
        Balance,
        Characteristic,
        balance,
        characteristic,
        smooth_velocity,
    )
    from dovetail.fidelity.growth import growth_rate
    from dovetail.fidelity.impact_errors import ImpactErrors, ImpactTrace, SignalErrors, impact_errors
    from dovetail.fidelity.impacts import ImpactEvent, energy_balance, find_impacts, impact_log
    from dovetail.fidelity.measured_traces import read_traces, smoothed
    from dovetail.fidelity.pose_error import euclidean, frobenius, pose_error
    from dovetail.fidelity.rths_criteria import RthsCriteria, criteria_of, rths_criteria
    from dovetail.fidelity.spectra import Peak, amplitude_spectrum, peaks, spectrum_map
    from dovetail.fidelity.synchronisation import SynchronisationLoop, loop, outside, overlay, share_outside
    from dovetail.fidelity.validation import Validation, from_relative, validate

lazily(__name__)


__all__ = [
    "Audit",
    "Balance",
    "Characteristic",
    "Comparison",
    "Contribution",
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
    "balance",
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
    "euclidean",
    "find_impacts",
    "frobenius",
    "from_relative",
    "growth_rate",
    "impact_errors",
    "impact_log",
    "local_error",
    "loop",
    "norms",
    "outside",
    "overlay",
    "peak",
    "peaks",
    "pose_error",
    "proposition_1",
    "read_traces",
    "response_at",
    "rms",
    "rths_criteria",
    "share_outside",
    "smooth_velocity",
    "smoothed",
    "spectrum_map",
    "utilisation",
    "validate",
]
