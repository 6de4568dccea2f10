"""Pareto-optimal points of several costs, and a search for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dovetail.core.errors import AnalysisError

FAILED_COST = 1e30  # of a point with a non-finite cost in the search, beyond the cost of any other


def non_dominated(costs: np.ndarray) -> np.ndarray:
    """Return the indices of the Pareto-optimal rows of costs (k, costs), which are all minimised.

    Rows with a non-finite cost (failed candidates) are excluded.
    """
    costs = np.asarray(costs, float)
    candidates = np.flatnonzero(np.isfinite(costs).all(axis=1))
    inner = costs[candidates]
    no_worse = (inner[:, None, :] <= inner[None, :, :]).all(axis=2)
    better = (inner[:, None, :] < inner[None, :, :]).any(axis=2)
    dominated = (no_worse & better).any(axis=0)
    return candidates[~dominated]


def pareto_search(
    evaluate: Callable[[np.ndarray], np.ndarray],
    low: np.ndarray,
    high: np.ndarray,
    *,
    batch: int = 64,
    rounds: int = 4,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Search the Pareto front of several costs by the genetic algorithm NSGA-II of pymoo [Deb 2002].

    Parameters
    ----------
    evaluate : function of points (batch, parameters) that returns costs (batch, costs); NaN if a point is invalid.
    low, high : bounds of the parameters.
    batch, rounds : points of a generation (constant, so that it is compiled once); number of generations.

    Returns
    -------
    points, costs : Pareto front of all evaluated points, sorted by the first cost.

    Raises
    ------
    AnalysisError
        If pymoo is not installed.
    """
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.evaluator import Evaluator
        from pymoo.core.problem import Problem
        from pymoo.core.termination import NoTermination
        from pymoo.problems.static import StaticProblem
    except ImportError as error:
        raise AnalysisError(
            "the search of a Pareto front needs pymoo; install it with: pip install 'dovetail-hybrid[pareto]'"
        ) from error
    from scipy.stats import qmc

    first = qmc.Halton(len(low), seed=seed).random(batch)  # in the unit cube, as all points of the search
    points = qmc.scale(first, low, high)
    costs = np.asarray(evaluate(points), float)
    problem = Problem(n_var=len(low), n_obj=costs.shape[1], xl=0.0, xu=1.0)
    algorithm = NSGA2(pop_size=batch, sampling=first)
    algorithm.setup(problem, termination=NoTermination(), seed=seed)
    generation = algorithm.ask()
    for _ in range(rounds - 1):
        newest = costs[-len(generation) :]
        failed = ~np.isfinite(newest).all(axis=1, keepdims=True)
        Evaluator().eval(StaticProblem(problem, F=np.where(failed, FAILED_COST, newest)), generation)
        algorithm.tell(infills=generation)
        generation = algorithm.ask()
        children = qmc.scale(generation.get("X"), low, high)
        points = np.concatenate([points, children])
        costs = np.concatenate([costs, np.asarray(evaluate(children), float)])
    best = non_dominated(costs)
    best = best[np.argsort(costs[best, 0])]
    return points[best], costs[best]
