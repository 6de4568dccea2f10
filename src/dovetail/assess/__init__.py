"""From a test as imagined to a test that may be run: identify, compensate, robustify, verify.

Depends on: core, transfer, compensation, stability, testing, fidelity.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.assess.compensate import Candidate, candidates, tracking_error
    from dovetail.assess.design import Design, Wishes, accept, design
    from dovetail.assess.identify import Identification, actuator, as_toml, identify, identify_recording
    from dovetail.assess.margins import delay_margin, growths, growths_later, stacked
    from dovetail.assess.plan import markdown, record, write
    from dovetail.assess.rig_requirements import RealTimeNeed, contact_mass, need_of, real_time_need
    from dovetail.assess.robustify import RobustnessMeasure, measures, required_margin
    from dovetail.assess.test_motion import Spectrum, spectrum
    from dovetail.assess.verify import Check, Verification, verify

lazily(__name__)


__all__ = [
    "Candidate",
    "Check",
    "Design",
    "Identification",
    "RealTimeNeed",
    "RobustnessMeasure",
    "Spectrum",
    "Verification",
    "Wishes",
    "accept",
    "actuator",
    "as_toml",
    "candidates",
    "contact_mass",
    "delay_margin",
    "design",
    "growths",
    "growths_later",
    "identify",
    "identify_recording",
    "markdown",
    "measures",
    "need_of",
    "real_time_need",
    "record",
    "required_margin",
    "spectrum",
    "stacked",
    "tracking_error",
    "verify",
    "write",
]
