"""The points of a campaign in a picture."""

import numpy as np

from dovetail.studio.campaign import SHADES, found, place, shades, stretch


def test_colours_go_from_the_least_to_the_greatest_and_what_is_to_come_is_grey():
    values = np.array([0.0, 10.0, np.nan, 5.0])
    shown = shades(values)
    assert (shown[0], shown[1]) == (SHADES[0], SHADES[-1])
    assert shown[2] not in SHADES
    assert SHADES.index(shown[3]) in (2, 3)
    assert set(shades(np.full(3, np.nan))) == {shown[2]}


def test_words_of_an_axis_have_places_too():
    assert place(np.array(["b", "a", "b"])).tolist() == [1.0, 0.0, 1.0]
    assert stretch(np.array([2.0, 2.0])) == [1.5, 2.5]


def test_a_folder_without_a_campaign_has_no_points(tmp_path):
    assert found(tmp_path) is None
