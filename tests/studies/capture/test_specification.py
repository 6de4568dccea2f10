"""Ropes with several aims at once."""

import numpy as np
import pytest

from dovetail.studies.capture import specification as spec
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import load

SMALL = {"links": 3, "duration": 40.0}


def test_interpolated_ropes_equal_the_catalogue_at_its_entries():
    mass, strength = spec.material(np.array([16e-3, 24e-3, 32e-3]))
    np.testing.assert_allclose(mass, [0.156, 0.329, 0.555])
    np.testing.assert_allclose(strength, [280e3, 550e3, 900e3])


@pytest.mark.slow
def test_several_threads_give_the_results_of_one():
    points = np.array([[24e-3, 200.0], [24e-3, 250.0], [24e-3, 300.0]])
    one, two = (spec.settle_batch(points, workers=w, **SMALL) for w in (1, 2))
    np.testing.assert_allclose(two, one, rtol=1e-9)  # batches of three and of two are fused differently
    assert one[:, -1] == pytest.approx([40.0, 52.0, 65.0], abs=4.0)  # [m], the study's settled depths


def test_weak_ropes_and_ropes_in_the_wake_are_inadmissible():
    points = np.array([[16e-3, 300.0], [24e-3, 200.0], [24e-3, 300.0], [32e-3, 300.0]])
    table = spec.costs(points, **SMALL)
    assert np.isnan(table[:2]).all()
    assert table[2, 0] < table[3, 0]  # lighter
    assert table[2, 2] > table[3, 2]  # less strong


@pytest.mark.slow
def test_selection_by_strength_depth_settling_and_weight_gives_the_published_rope():
    test = load(find_test("capture/select"))
    told = test.numerical.measures(test.simulate().data)
    assert told["choice"] == "uhmwpe-24 of 300 m"  # the source's, sec. 5.1
    assert "breaks at 280 kN" in told["uhmwpe-16 of 250 m"]
    assert "breaks at 375 kN" in told["steel-24 of 250 m"]
    assert "settles at" in told["uhmwpe-24 of 200 m"]
    assert "settles at" in told["uhmwpe-24 of 250 m"]
