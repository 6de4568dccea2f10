"""Conditions on parameters: arithmetic and comparison only."""

import numpy as np
import pytest

from dovetail.campaign.constraints import satisfies, select_points
from dovetail.core.errors import ParameterError, UnknownNameError

TABLE = {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([3.0, 2.0, 1.0])}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a < b", [True, False, False]),
        ("a <= b and b < 3", [False, True, False]),
        ("not a == 2", [True, False, True]),
        ("1 < a < 3", [False, True, False]),
        ("sqrt(a) * 2 >= b or b > 2 * pi", [False, True, True]),
        ("max(a, b) == 3", [True, False, True]),
        ("-a < 0", [True, True, True]),
    ],
)
def test_a_condition_selects_points(condition, expected):
    assert list(satisfies(condition, TABLE)) == expected


def test_texts_are_compared():
    assert list(satisfies("law != 'x'", {"law": np.array(["x", "y"], dtype=object)})) == [False, True]


@pytest.mark.parametrize(
    "condition", ["a.real > 1", "__import__('os')", "[1][0] < a", "(lambda: 1)() < a", "a if b else 1"]
)
def test_other_code_is_not_executed(condition):
    with pytest.raises(ParameterError, match="not permitted in a condition|not a condition"):
        satisfies(condition, TABLE)


def test_invalid_conditions_are_reported():
    with pytest.raises(UnknownNameError, match="known: a, b"):
        satisfies("c < 1", TABLE)
    with pytest.raises(ParameterError, match="expected a comparison"):
        satisfies("a + b", TABLE)
    with pytest.raises(ParameterError, match="is not a condition"):
        satisfies("a <", TABLE)
    with pytest.raises(ParameterError, match="none of 3 points satisfies"):
        select_points(["a > 5"], TABLE)
