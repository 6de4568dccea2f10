"""Many variants of one thing: design spaces, sweeps, ranking, figures of merit.

Depends on: core, testing, fidelity, design.

A campaign file is read by `load`, computed by `run`, and its results are opened by `open_results`.
"""

from dovetail.campaign.answers import answers
from dovetail.campaign.axes import Axis
from dovetail.campaign.design_space import DesignSpace, Point, Variable
from dovetail.campaign.execute import Progress, Summary, Threads, run
from dovetail.campaign.measures import compiled
from dovetail.campaign.merit import (
    Requirements,
    Verdict,
    admissible,
    judge,
    requirements,
    speed_over_gap,
)
from dovetail.campaign.pareto import non_dominated, pareto_search
from dovetail.campaign.plan import Campaign, load, parse
from dovetail.campaign.ranking import Influence, key_parameters, rank, trade_off
from dovetail.campaign.store import Store, open_results
from dovetail.campaign.sweep import evaluate, factorial, one_at_a_time

__all__ = [
    "Axis",
    "Campaign",
    "DesignSpace",
    "Influence",
    "Point",
    "Progress",
    "Requirements",
    "Store",
    "Summary",
    "Threads",
    "Variable",
    "Verdict",
    "admissible",
    "answers",
    "compiled",
    "evaluate",
    "factorial",
    "judge",
    "key_parameters",
    "load",
    "non_dominated",
    "one_at_a_time",
    "open_results",
    "pareto_search",
    "parse",
    "rank",
    "requirements",
    "run",
    "speed_over_gap",
    "trade_off",
]
