"""Points of a campaign are readable while it is computed, and each opens as a test."""

import numpy as np
import pytest

from dovetail import campaign
from dovetail.app.campaign_points import point_document, points
from dovetail.campaign.subject_base import ChunkResult, Values
from dovetail.core.errors import ParameterError

PLAN = """
title = "Delays"
test = "substructuring/cs1"
measures = ["peak displacement"]

[[parameter]]
path = "rig.actuator.delay"
values = ["1 ms", "2 ms", "9 ms"]

[[parameter]]
path = "numerical.c"
values = [10.0, 20.0]
"""


@pytest.fixture
def store(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN, "utf-8")
    return campaign.Store.create(tmp_path / "out", campaign.load(tmp_path / "plan.toml"), 2, 2)


def test_computed_points_of_an_unfinished_campaign_are_shown(store):
    store.write(1, ChunkResult({"y": Values((), np.array([1.0, 2.0]))}, {}))
    found = points(store.folder)
    assert (found.title, found.computed, found.total) == ("Delays", 2, 6)
    assert [parameter.name for parameter in found.parameters] == [
        parameter.name for parameter in store.campaign.parameters
    ]
    assert found.parameters[0].unit == "s"
    measured = next(column for column in found.measures if column.name == "y")
    assert np.isnan(measured.values[[0, 1, 4, 5]]).all()
    np.testing.assert_array_equal(measured.values[2:4], [1.0, 2.0])


def test_a_point_is_a_test_with_its_values(store):
    table = store.campaign.points()
    for number in (0, 5):
        document = point_document(store.folder, number)
        assert document.fault == ""
        assert float(document.test.rig.actuator.delay) == table[store.campaign.parameters[0].name][number]
        assert float(document.test.numerical.c) == table[store.campaign.parameters[1].name][number]
    with pytest.raises(ParameterError, match="0 to 5"):
        point_document(store.folder, 6)
    assert points(store.folder).total == 6  # what was opened is not in the way
