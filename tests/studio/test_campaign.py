"""Plot of the points of a campaign."""

import numpy as np

from dovetail.studio.campaign import COLOUR_SCALE, colours, padded_range, read_points, to_numbers


def test_colours_range_from_minimum_to_maximum_and_missing_points_are_grey():
    values = np.array([0.0, 10.0, np.nan, 5.0])
    shown = colours(values)
    assert (shown[0], shown[1]) == (COLOUR_SCALE[0], COLOUR_SCALE[-1])
    assert shown[2] not in COLOUR_SCALE
    assert COLOUR_SCALE.index(shown[3]) in (2, 3)
    assert set(colours(np.full(3, np.nan))) == {shown[2]}


def test_text_values_have_positions_on_an_axis():
    assert to_numbers(np.array(["b", "a", "b"])).tolist() == [1.0, 0.0, 1.0]
    assert padded_range(np.array([2.0, 2.0])) == [1.5, 2.5]


def test_a_folder_without_a_campaign_has_no_points(tmp_path):
    assert read_points(tmp_path) is None
