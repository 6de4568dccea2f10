"""The success map: border and symmetry as published, points as single dockings."""

import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.docking import six_dof
from dovetail.studies.docking.docking_map import worst_successes
from dovetail.studies.docking.docking_record import record
from dovetail.studies.docking.docking_steps import DOCKED, LEFT, DockingSystem
from dovetail.studies.registry import find_test

pytestmark = pytest.mark.slow  # eighty-one dockings compile for half a minute and run for three seconds


@pytest.fixture(scope="module")
def published() -> xr.Dataset:
    return testing.load(find_test("docking/map")).map.compute()


def at(data, pitch_deg, height_mm):
    point = data.sel(pitch=np.radians(pitch_deg), height=1e-3 * height_mm, method="nearest")
    return int(point.ending)


def test_the_border_of_the_published_map(published):
    assert worst_successes(published) == [(-75.0, pytest.approx(-7.5)), (75.0, pytest.approx(7.5))]
    assert not (published.ending.sel(height=[-0.1, 0.1]) == DOCKED).any()
    widths = [
        (published.ending.sel(height=h, method="nearest") == DOCKED).sum() for h in (0.075, 0.05, 0.025, 0.0)
    ]
    assert np.all(np.diff(widths) > 0)  # below 75 mm the range of attitudes widens
    assert (published.ending == DOCKED).sum() == 37


def test_the_map_is_symmetric_about_its_middle(published):
    np.testing.assert_array_equal(published.ending, published.ending[::-1, ::-1])
    np.testing.assert_array_equal(published.impacts, published.impacts[::-1, ::-1])


def test_a_point_of_the_map_equals_a_single_docking(published):
    """A batch steps every lane by itself: twice as fine steps end the same way, after as many impacts."""
    for pitch, height in ((7.5, 75.0), (-7.5, 75.0)):
        alone = record(DockingSystem.of(six_dof.case_study(pitch, 1e-3 * height), six_dof.ball(30e-3)))
        assert alone.ending == at(published, pitch, height)
        point = published.sel(pitch=np.radians(pitch), height=1e-3 * height, method="nearest")
        assert len(alone.impacts) == int(point.impacts)
    assert at(published, -7.5, 75.0) == LEFT


def test_a_map_without_success_has_no_worst_case():
    empty = xr.Dataset({"ending": (("height", "pitch"), [[LEFT]])}, {"height": [0.1], "pitch": [0.0]})
    assert worst_successes(empty) == []


def test_a_tip_larger_than_the_drogue_is_reported_for_any_map():
    for name in ("map", "energy-map", "robot-by-mass"):
        with pytest.raises(TestFileError, match="33 mm does not fit into the cylinder of 32.5 mm"):
            testing.load(find_test(f"docking/{name}"), {"map.radius": "33 mm"})
