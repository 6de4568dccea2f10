"""Design of hybrid tests: identify, compensate, robustify and verify; rig requirements of a recorded contact.

Depends on: core, transfer, compensation, stability, testing, fidelity.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.assess.compensate import Candidate, candidates, tracking_error
    from dovetail.assess.design import Design, DesignOptions, accept_proposal, design
    from dovetail.assess.identify import (
        Identification,
        identified_actuator,
        identify,
        identify_recording,
        to_toml,
    )
    from dovetail.assess.margins import growth_rates, stack_tests
    from dovetail.assess.plan import to_dict, to_markdown, write
    from dovetail.assess.rig_requirements import (
        RigRequirements,
        contact_mass,
        rig_requirements,
        rig_requirements_of_run,
    )
    from dovetail.assess.robustify import RobustnessOption, required_margin, robustness_options
    from dovetail.assess.test_motion import Spectrum, spectrum
    from dovetail.assess.verify import Check, Verification, verify

lazily(__name__)


__all__ = [
    "Candidate",
    "Check",
    "Design",
    "DesignOptions",
    "Identification",
    "RigRequirements",
    "RobustnessOption",
    "Spectrum",
    "Verification",
    "accept_proposal",
    "candidates",
    "contact_mass",
    "design",
    "growth_rates",
    "identified_actuator",
    "identify",
    "identify_recording",
    "required_margin",
    "rig_requirements",
    "rig_requirements_of_run",
    "robustness_options",
    "spectrum",
    "stack_tests",
    "to_dict",
    "to_markdown",
    "to_toml",
    "tracking_error",
    "verify",
    "write",
]
