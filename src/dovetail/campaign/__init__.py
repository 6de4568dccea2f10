"""Many variants of one thing: design spaces, sweeps, ranking, figures of merit.

Depends on: core.
"""

from dovetail.campaign.design_space import DesignSpace, Point, Variable
from dovetail.campaign.merit import (
    Requirements,
    Verdict,
    admissible,
    judge,
    requirements,
    speed_over_gap,
)
from dovetail.campaign.pareto import non_dominated, pareto_search
from dovetail.campaign.ranking import Influence, key_parameters, rank, trade_off
from dovetail.campaign.sweep import evaluate, factorial, one_at_a_time

__all__ = [
    "DesignSpace",
    "Influence",
    "Point",
    "Requirements",
    "Variable",
    "Verdict",
    "admissible",
    "evaluate",
    "factorial",
    "judge",
    "key_parameters",
    "non_dominated",
    "one_at_a_time",
    "pareto_search",
    "rank",
    "requirements",
    "speed_over_gap",
    "trade_off",
]
