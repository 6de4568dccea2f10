"""What no other candidate beats in everything."""

import numpy as np

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
