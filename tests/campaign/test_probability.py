"""Probabilities with their intervals, and largest admissible values."""

import numpy as np
import pytest

from dovetail.campaign.probability import largest_admissible, probability
from dovetail.core.errors import AnalysisError


def test_a_fraction_has_its_exact_interval():
    table = {"y": np.r_[np.zeros(20), np.ones(80)]}
    result = probability(table, "y > 0.5")
    assert (result.count, result.total) == (80, 100)
    # Clopper and Pearson for 80 of 100, from the tables
    assert (result.low, result.high) == (pytest.approx(0.7082, abs=1e-4), pytest.approx(0.8733, abs=1e-4))
    assert "80 % (80 of 100" in str(result)


def test_points_without_a_value_are_omitted():
    table = {"y": np.array([0.0, 1.0, np.nan])}
    assert probability(table, "y > 0.5").total == 2
    with pytest.raises(AnalysisError, match="no point"):
        probability({"y": np.array([np.nan])}, "y > 0.5")


def test_a_confidence_interval_has_its_nominal_coverage():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        result = probability({"y": rng.random(50)}, "y < 0.3")
        hits += result.low <= 0.3 <= result.high
    assert hits >= 186  # exact intervals cover at least 95 %; three deviations below that


def test_the_largest_value_for_a_fraction_of_the_space():
    delay, other = (
        a.ravel() for a in np.meshgrid(np.linspace(1, 10, 10), np.linspace(0, 1, 21), indexing="ij")
    )
    table = {"delay": delay, "error": delay * (1 + other)}
    # the quantile 0.95 of 1 + other is 1.95: 10 = 1.95 delay
    assert largest_admissible(table, "delay", "error", 10.0, 0.95) == pytest.approx(10 / 1.95, rel=1e-12)
    assert largest_admissible(table, "delay", "error", 10.0, 1.0) == pytest.approx(5.0)


def test_without_a_result_the_message_has_parameter_and_measure():
    x = np.repeat([1.0, 2.0, 3.0], 4)
    with pytest.raises(
        AnalysisError,
        match="already at delay = 1 the magnitude of error is 1 in 95 % of the points, above the limit 0.5",
    ):
        largest_admissible({"delay": x, "error": x}, "delay", "error", 0.5)
    with pytest.raises(
        AnalysisError, match="up to the largest value delay = 3, error stays below the limit 5"
    ):
        largest_admissible({"delay": x, "error": x}, "delay", "error", 5.0)


def test_samples_are_evaluated_in_parts():
    rng = np.random.default_rng(5)
    x = rng.uniform(0, 10, 4000)
    result = largest_admissible({"x": x, "y": x}, "x", "y", 5.0, 0.5)
    assert result == pytest.approx(5.0, abs=0.3)  # half a part of twenty


def test_failed_points_count_as_beyond():
    table = {"x": np.array([1.0, 2.0, 3.0]), "y": np.array([0.0, 0.0, np.nan])}
    assert 2.0 <= largest_admissible(table, "x", "y", 1.0) < 2.01
