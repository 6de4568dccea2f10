"""Several aims at once: what no other candidate beats in everything, and a search for more of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def non_dominated(costs: np.ndarray) -> np.ndarray:
    """Indices of the rows of costs (k, aims), all to be small, that no other row equals or betters in every aim.

    Rows that are not finite are left out: a candidate that failed is no candidate.
    """
    costs = np.asarray(costs, float)
    kept = np.flatnonzero(np.isfinite(costs).all(axis=1))
    inner = costs[kept]
    no_worse = (inner[:, None, :] <= inner[None, :, :]).all(axis=2)
    better = (inner[:, None, :] < inner[None, :, :]).any(axis=2)
    beaten = (no_worse & better).any(axis=0)
    return kept[~beaten]


def pareto_search(
    evaluate: Callable[[np.ndarray], np.ndarray],
    low: np.ndarray,
    high: np.ndarray,
    *,
    batch: int = 64,
    rounds: int = 4,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """The front of several costs over a box: an even first batch, then batches around what is not beaten so far.

    Parameters
    ----------
    evaluate : function of points (batch, parameters) that gives costs (batch, aims); NaN where one is not allowed.
    low, high : bounds of the parameters.
    batch, rounds : points of a batch, always the same number, so that one compiled program serves; batches.

    Returns
    -------
    points, costs : of the front, in the order of the first cost.
    """
    from scipy.stats import qmc

    low, high = np.asarray(low, float), np.asarray(high, float)
    random = np.random.default_rng(seed)
    points = qmc.scale(qmc.Halton(len(low), seed=seed).random(batch), low, high)
    costs = np.asarray(evaluate(points), float)
    for turn in range(1, rounds):
        front = points[non_dominated(costs)]
        if not len(front):
            front = points
        spread = 0.2 * (high - low) / 2**turn
        parents = front[random.integers(len(front), size=batch)]
        children = np.clip(parents + spread * random.normal(size=parents.shape), low, high)
        points = np.concatenate([points, children])
        costs = np.concatenate([costs, np.asarray(evaluate(children), float)])
    best = non_dominated(costs)
    best = best[np.argsort(costs[best, 0])]
    return points[best], costs[best]
