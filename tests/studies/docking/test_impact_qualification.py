import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.docking.impact_qualification import needed_stroke
from dovetail.studies.registry import find_test


@pytest.mark.slow
def test_of_72_impacts_23_are_possible_and_12_qualify():
    parameter_map = testing.load(find_test("docking/qualification")).map
    data = parameter_map.compute()
    assert data.possible.size == 72
    assert (int(data.possible.sum()), int(data.qualified.sum())) == (23, 12)
    assert "23 of 72 possible" in parameter_map.summary(data)
    assert "no stroke" in parameter_map.summary(data)


def test_a_stack_under_load_has_less_stroke_and_none_beyond_its_blocking_force():
    needed = needed_stroke(np.array([1e-4, 1e-4]), np.array([4000.0, 9000.0]), 8000.0)
    np.testing.assert_allclose(needed, [2e-4, np.inf])


def test_lists_that_do_not_pair_are_reported():
    with pytest.raises(TestFileError, match="map.m2 .*1 entries, but m1 has 4"):
        testing.load(find_test("docking/qualification"), {"map.m2": [35.0]})
