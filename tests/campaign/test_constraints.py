"""Rules over the axes: arithmetic and comparison, and nothing else."""

import numpy as np
import pytest

from dovetail.campaign.constraints import keep, kept
from dovetail.core.errors import ParameterError, UnknownNameError

TABLE = {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([3.0, 2.0, 1.0])}


@pytest.mark.parametrize(
    ("rule", "expected"),
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
def test_a_rule_keeps_points(rule, expected):
    assert list(kept(rule, TABLE)) == expected


def test_words_are_compared():
    assert list(kept("law != 'x'", {"law": np.array(["x", "y"], dtype=object)})) == [False, True]


@pytest.mark.parametrize(
    "rule", ["a.real > 1", "__import__('os')", "[1][0] < a", "(lambda: 1)() < a", "a if b else 1"]
)
def test_nothing_else_is_run(rule):
    with pytest.raises(ParameterError, match="no place in a rule|no rule"):
        kept(rule, TABLE)


def test_bad_rules_are_told():
    with pytest.raises(UnknownNameError, match="known: a, b"):
        kept("c < 1", TABLE)
    with pytest.raises(ParameterError, match="a rule compares"):
        kept("a + b", TABLE)
    with pytest.raises(ParameterError, match="is no rule"):
        kept("a <", TABLE)
    with pytest.raises(ParameterError, match="keep none of 3 points"):
        keep(["a > 5"], TABLE)
