"""A blade's table and its elements."""

import numpy as np
import pytest

from dovetail.air.rotor import Blade
from dovetail.core.errors import ParameterError


def test_elements_on_the_ends_count_one_element_too_much_and_midpoints_the_span():
    blade = Blade(radius=3.0, chord=0.15, elements=8)
    middle, ends = (
        blade.effective_elements(),
        Blade(radius=3.0, chord=0.15, elements=8, sampling="ends").effective_elements(),
    )
    assert float(np.sum(middle.width)) == pytest.approx(2.1)
    assert float(np.sum(ends.width)) == pytest.approx(2.1 * 8 / 7)
    assert (float(ends.r[0]), float(ends.r[-1])) == (pytest.approx(0.6), pytest.approx(2.7))


def test_a_table_is_straight_between_its_stations():
    blade = Blade(radius=2.0, stations=[0.0, 1.0, 2.0], chord=[0.3, 0.3, 0.1], twist=[0.2, 0.1, 0.0])
    at = blade.properties_at(np.array([0.5, 1.5]))
    np.testing.assert_allclose(at.chord, [0.3, 0.2])
    np.testing.assert_allclose(at.twist, [0.15, 0.05])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"root_cutout": 0.9, "effective_radius": 0.5}, "root_cutout: got 0.9"),
        ({"stations": [0.0, 1.0], "twist": [0.1, 0.1, 0.1]}, "3 values for 2 stations"),
        ({"stations": [1.0, 2.0]}, "span the effective blade"),
        ({"stations": [0.0, 2.0, 1.0]}, "increasing radii"),
    ],
)
def test_an_impossible_blade_is_rejected(fields, message):
    with pytest.raises(ParameterError, match=message):
        Blade(radius=3.0, chord=0.1, **fields)
