"""Forces beside what people compare them with."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene.force_ratios import of_limit, of_weight

FORCE = np.array([[0.0, 0.0, 0.0], [30.0, -40.0, 0.0]])


def test_a_force_in_weights_is_its_length_over_the_weight():
    share = of_weight(FORCE, 20.0)
    assert share(1) == "2.5 × weight"
    assert of_weight(FORCE, 0.0) is None  # nothing weighs anything in space


@pytest.mark.parametrize(
    ("limit", "words"),
    [("80 N", "50 % of its limit"), (["40 N", "160 N", "1 N"], "75 % of its limit")],
)
def test_a_force_beside_its_limit_is_that_of_the_axis_nearest_to_it(limit, words):
    axes = {"axes": ["x", "y", "z", "roll", "pitch", "yaw"]}
    force = limit if isinstance(limit, str) else [*limit, "inf N", "inf N", "inf N"]
    test = dv.load("docking/six-dof", {"limits.force": force, **axes})
    assert of_limit(test, FORCE)(1) == words


def test_where_nothing_is_limited_nothing_is_said():
    assert of_limit(dv.load("docking/six-dof"), FORCE) is None
    assert of_limit(SimpleNamespace(), FORCE) is None
