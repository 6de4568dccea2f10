"""Entry points: what packages above provide, and an error that lists the known names."""

from importlib.metadata import entry_points

import pytest

from dovetail.core.errors import UnknownNameError
from dovetail.core.extensions import DISPLAY, display, extension
from dovetail.specimens import Spring


@pytest.mark.parametrize("group", [DISPLAY, "dovetail.modes", "dovetail.tests", "dovetail.commands"])
def test_every_entry_point_can_be_loaded(group):
    points = entry_points(group=group)
    assert points
    for point in points:
        assert extension(group, point.name) is point.load()


def test_a_display_is_made_by_its_entry_point():
    spring = Spring(k=1.0)
    assert display("part", spring) == spring._repr_html_()


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="plot"):
        display("plott")
