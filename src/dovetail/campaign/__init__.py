"""Campaigns (parameter studies): designs of experiments, sweeps, sensitivity, actuator requirements.

Depends on: core, testing, fidelity. It finds tests by name and displays results through `core.extensions`.

`load` reads a campaign file, `run` computes it, `open_results` opens its results and `analyse` prints them.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.campaign.actuator_requirements import (
        ActuatorRequirements,
        RequirementsCheck,
        admissible_value,
        check_requirements,
        requirements,
        speed_over_gap,
    )
    from dovetail.campaign.analysis_results import analyse
    from dovetail.campaign.axes import VariedParameter
    from dovetail.campaign.design_space import DesignSpace, DesignVariable, Point
    from dovetail.campaign.execute import CampaignSummary, Progress, ThreadExecutor, run
    from dovetail.campaign.main_effects import MainEffect, key_parameters, main_effects, saturation_point
    from dovetail.campaign.measures import jax_measure
    from dovetail.campaign.optimise import minimise_bfgs, minimise_nelder_mead
    from dovetail.campaign.pareto import non_dominated, pareto_search
    from dovetail.campaign.plan import Campaign, load, parse
    from dovetail.campaign.probability import largest_admissible, probability
    from dovetail.campaign.response_surface import fit_surface
    from dovetail.campaign.sensitivity import morris, sobol
    from dovetail.campaign.store import Store, open_results
    from dovetail.campaign.sweep import evaluate_points, full_factorial, one_at_a_time, requires, returns
    from dovetail.campaign.worst_cases import worst_cases

lazily(__name__)


__all__ = [
    "ActuatorRequirements",
    "Campaign",
    "CampaignSummary",
    "DesignSpace",
    "DesignVariable",
    "MainEffect",
    "Point",
    "Progress",
    "RequirementsCheck",
    "Store",
    "ThreadExecutor",
    "VariedParameter",
    "admissible_value",
    "analyse",
    "check_requirements",
    "evaluate_points",
    "fit_surface",
    "full_factorial",
    "jax_measure",
    "key_parameters",
    "largest_admissible",
    "load",
    "main_effects",
    "minimise_bfgs",
    "minimise_nelder_mead",
    "morris",
    "non_dominated",
    "one_at_a_time",
    "open_results",
    "pareto_search",
    "parse",
    "probability",
    "requirements",
    "requires",
    "returns",
    "run",
    "saturation_point",
    "sobol",
    "speed_over_gap",
    "worst_cases",
]
