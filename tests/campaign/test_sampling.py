"""Designs: the number of points, their spread, and that a seed repeats them."""

import tracemalloc

import numpy as np
import pytest

from dovetail.campaign import sampling
from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.sampling import RANDOM_KINDS, points
from dovetail.core.errors import ParameterError

LISTS = (
    VariedParameter("a", ("a",), (1.0, 2.0, 3.0), default=2.0),
    VariedParameter("b", ("b",), (10.0, 20.0), default=10.0),
)
RANGES = (
    VariedParameter("a", ("a",), low=0.0, high=1.0),
    VariedParameter("b", ("b",), low=1.0, high=100.0, scale="log"),
)


def test_a_grid_is_every_combination():
    table = points(LISTS, "grid")
    assert sorted(zip(table["a"], table["b"], strict=True)) == [(a, b) for a in (1, 2, 3) for b in (10, 20)]


def test_one_at_a_time_starts_at_the_defaults_and_moves_one():
    table = points(LISTS, "one-at-a-time")
    rows = list(zip(table["a"], table["b"], strict=True))
    assert rows == [(2, 10), (1, 10), (3, 10), (2, 20)]


def test_a_list_design_combines_values_by_position():
    same = (LISTS[0], VariedParameter("b", ("b",), (10.0, 20.0, 30.0)))
    assert list(points(same, "list")["b"]) == [10, 20, 30]
    with pytest.raises(ParameterError, match="a 3, b 2"):
        points(LISTS, "list")


@pytest.mark.parametrize("kind", RANDOM_KINDS)
def test_a_seed_repeats_a_design_and_another_does_not(kind):
    one, again, other = (points(RANGES, kind, 8, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one["a"], again["a"])
    assert not np.array_equal(one["a"], other["a"])
    assert one["a"].min() >= 0
    assert one["b"].min() >= 1
    assert one["b"].max() <= 100 * (1 + 1e-12)


def test_a_latin_hypercube_has_one_point_in_every_slice():
    table = points(RANGES, "latin-hypercube", 16)
    assert sorted((16 * table["a"]).astype(int)) == list(range(16))


def test_designs_for_sensitivity_have_their_published_size():
    assert len(points(RANGES, "saltelli", 8)["a"]) == 8 * (2 + 2)
    assert len(points(RANGES, "morris", 5)["a"]) == 5 * (2 + 1)


def test_a_morris_step_moves_one_parameter_by_two_thirds_of_its_range():
    a = points((RANGES[0], VariedParameter("b", ("b",), low=0.0, high=1.0)), "morris", 4)
    path = np.column_stack([a["a"], a["b"]]).reshape(4, 3, 2)
    steps = np.abs(np.diff(path, axis=1))
    np.testing.assert_allclose(np.sort(steps, axis=2), np.broadcast_to([0.0, 2 / 3], (4, 2, 2)), atol=1e-12)


def test_text_values_are_sampled_equally_often():
    words = (VariedParameter("law", ("law",), ("x", "y")), RANGES[0])
    drawn = points(words, "latin-hypercube", 8)["law"]
    assert sorted(drawn) == ["x"] * 4 + ["y"] * 4


@pytest.mark.parametrize(
    ("parameters", "kind", "count", "text"),
    [
        (LISTS, "cube", 0, "one of grid"),
        ((), "grid", 0, "at least one parameter"),
        (RANGES, "grid", 0, "needs values"),
        (RANGES, "sobol", 0, "at least 1"),
        ((VariedParameter("a", ("a",), (1.0, 2.0)),), "one-at-a-time", 0, "needs a default"),
    ],
)
def test_an_impossible_design_is_reported(parameters, kind, count, text):
    with pytest.raises(ParameterError, match=text):
        points(parameters, kind, count)


def test_a_random_design_has_no_default_number_of_points():
    with pytest.raises(ParameterError, match="design.count: got 0; a sobol design needs at least 1"):
        points((VariedParameter("a", ("a",), (1.0, 2.0)),), "sobol")


@pytest.mark.parametrize("kind", ["grid", "random", "latin-hypercube", "sobol", "saltelli", "morris"])
def test_a_design_needs_at_most_the_estimated_memory(kind):
    count = 4100 if kind == "sobol" else 4096  # the sequence is computed up to 8192
    values = tuple(np.linspace(0.0, 1.0, 64)) if kind == "grid" else ()
    pair = [VariedParameter(name, (name,), values, 0.0, 1.0) for name in "ab"]
    points(pair, kind, 16, 1)  # imports
    tracemalloc.start()
    table = points(pair, kind, count, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table["a"]) == sampling.point_count(pair, kind, count)
    assert peak < 1.1 * 8 * len(table["a"]) * 2 * sampling.COPIES


def test_the_last_parameter_of_a_grid_varies_fastest():
    pair = [VariedParameter("a", ("a",), (1.0, 2.0)), VariedParameter("b", ("b",), ("x", "y", "z"))]
    table = points(pair, "grid")
    assert list(table["a"]) == [1, 1, 1, 2, 2, 2]
    assert list(table["b"]) == ["x", "y", "z"] * 2
