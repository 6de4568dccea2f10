"""Pareto-optimal points of several costs, and a search for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


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
    """Search the Pareto front of several costs: an even first batch, then batches around the front found so far.

    Parameters
    ----------
    evaluate : function of points (batch, parameters) that returns costs (batch, costs); NaN if a point is invalid.
    low, high : bounds of the parameters.
    batch, rounds : points of a batch (constant, so that it is compiled once); number of batches.

    Returns
    -------
    points, costs : Pareto front, sorted by the first cost.
    """
    from scipy.stats import qmc

    low, high = np.asarray(low, float), np.asarray(high, float)
    random = np.random.default_rng(seed)
    points = qmc.scale(qmc.Halton(len(low), seed=seed).random(batch), low, high)
    costs = np.asarray(evaluate(points), float)
    for round_number in range(1, rounds):
        front = points[non_dominated(costs)]
        if not len(front):
            front = points
        spread = 0.2 * (high - low) / 2**round_number
        parents = front[random.integers(len(front), size=batch)]
        children = np.clip(parents + spread * random.normal(size=parents.shape), low, high)
        points = np.concatenate([points, children])
        costs = np.concatenate([costs, np.asarray(evaluate(children), float)])
    best = non_dominated(costs)
    best = best[np.argsort(costs[best, 0])]
    return points[best], costs[best]
