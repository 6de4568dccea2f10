"""Forces as multiples of a weight or in % of a limit."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene.force_ratios import limit_ratio, weight_ratio

FORCE = np.array([[0.0, 0.0, 0.0], [30.0, -40.0, 0.0]])


def test_a_force_in_weights_is_its_length_over_the_weight():
    share = weight_ratio(FORCE, 20.0)
    assert share(1) == "2.5 × weight"
    assert weight_ratio(FORCE, 0.0) is None  # nothing weighs anything in space


@pytest.mark.parametrize(
    ("limit", "words"),
    [("80 N", "50 % of the limit"), (["40 N", "160 N", "1 N"], "75 % of the limit")],
)
def test_a_force_beside_its_limit_is_that_of_the_axis_nearest_to_it(limit, words):
    axes = {"axes": ["x", "y", "z", "roll", "pitch", "yaw"]}
    force = limit if isinstance(limit, str) else [*limit, "inf N", "inf N", "inf N"]
    test = dv.load("docking/six-dof", {"limits.force": force, **axes})
    assert limit_ratio(test, FORCE)(1) == words


def test_without_limits_no_ratio_is_shown():
    assert limit_ratio(dv.load("docking/six-dof"), FORCE) is None
    assert limit_ratio(SimpleNamespace(), FORCE) is None
