"""Many variants of one thing: design spaces, sweeps, ranking, figures of merit.

Depends on: core, testing, fidelity; report and studies are asked by those who name them.

A campaign file is read by `load`, computed by `run`, and its results are opened by `open_results`.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.campaign.actuator_requirements import (
        MeritVerdict,
        Requirements,
        admissible,
        judge,
        requirements,
        speed_over_gap,
    )
    from dovetail.campaign.analysis_results import analyse
    from dovetail.campaign.axes import Axis
    from dovetail.campaign.design_space import DesignSpace, Point, Variable
    from dovetail.campaign.execute import Progress, Summary, Threads, run
    from dovetail.campaign.main_effects import Influence, key_parameters, rank, trade_off
    from dovetail.campaign.measures import compiled
    from dovetail.campaign.optimise import descend, search
    from dovetail.campaign.pareto import non_dominated, pareto_search
    from dovetail.campaign.plan import Campaign, load, parse
    from dovetail.campaign.probability import largest, probability
    from dovetail.campaign.response_surface import fit_surface
    from dovetail.campaign.sensitivity import morris, sobol
    from dovetail.campaign.store import Store, open_results
    from dovetail.campaign.sweep import evaluate, factorial, gives, one_at_a_time, takes
    from dovetail.campaign.worst_cases import worst

lazily(__name__)


__all__ = [
    "Axis",
    "Campaign",
    "DesignSpace",
    "Influence",
    "MeritVerdict",
    "Point",
    "Progress",
    "Requirements",
    "Store",
    "Summary",
    "Threads",
    "Variable",
    "admissible",
    "analyse",
    "compiled",
    "descend",
    "evaluate",
    "factorial",
    "fit_surface",
    "gives",
    "judge",
    "key_parameters",
    "largest",
    "load",
    "morris",
    "non_dominated",
    "one_at_a_time",
    "open_results",
    "pareto_search",
    "parse",
    "probability",
    "rank",
    "requirements",
    "run",
    "search",
    "sobol",
    "speed_over_gap",
    "takes",
    "trade_off",
    "worst",
]
