"""What no other candidate beats in everything."""

import numpy as np
import pytest

from dovetail.campaign.pareto import non_dominated, pareto_search


def test_only_dominated_points_are_omitted():
    costs = np.array([[1.0, 4.0], [2.0, 2.0], [4.0, 1.0], [3.0, 3.0], [2.0, 2.0], [np.nan, 0.0]])
    assert non_dominated(costs).tolist() == [0, 1, 2, 4]  # equals do not beat each other


def test_the_search_finds_the_front_of_two_parabolas():
    # costs (x^2 + y^2, (x - 1)^2 + y^2): the front is y = 0, 0 <= x <= 1
    def costs(points):
        x, y = points.T
        return np.stack([x**2 + y**2, (x - 1) ** 2 + y**2], axis=1)

    points, found = pareto_search(costs, [-2.0, -2.0], [2.0, 2.0], batch=64, rounds=8, seed=1)
    assert len(points) > 30
    excess = (
        np.sqrt(found).sum(axis=1) - 1
    )  # distance of a point to both minima, less theirs: zero on the front
    assert excess.max() < 0.05
    assert np.median(excess) < 0.005
    assert points[:, 0].min() < 0.05
    assert points[:, 0].max() > 0.95
    assert (np.diff(found[:, 0]) >= 0).all()


def test_inadmissible_points_are_not_on_the_front():
    def costs(points):
        return np.where(points[:, :1] < 0.5, np.nan, np.c_[points[:, 0], 1 - points[:, 0]])

    points, _ = pareto_search(costs, [0.0], [1.0], batch=16, rounds=3)
    assert points.min() >= 0.5


def area(costs, corner=1.1):
    """Area that the points of a front dominate, up to a corner; the points by their first cost."""
    inside = costs[(costs < corner).all(axis=1)]
    return float(np.sum((corner - inside[:, 0]) * -np.diff(inside[:, 1], prepend=corner)))


@pytest.mark.parametrize(("batch", "rounds"), [(64, 16), (32, 32)])
def test_the_search_reaches_most_of_the_front_of_zdt1_in_eight_dimensions(batch, rounds):
    """With 1,024 evaluations; the front is f2 = 1 - sqrt(f1)."""

    def zdt1(x):
        g = 1 + 9 * x[:, 1:].mean(axis=1)
        return np.column_stack([x[:, 0], g * (1 - np.sqrt(x[:, 0] / g))])

    first = np.linspace(0.0, 1.0, 2001)
    _, front = pareto_search(zdt1, np.zeros(8), np.ones(8), batch=batch, rounds=rounds)
    assert area(front) > 0.55 * area(np.column_stack([first, 1 - np.sqrt(first)]))
