import dataclasses

import numpy as np
import pytest

from dovetail.studies.refuelling import funnel_map
from dovetail.studies.refuelling.funnel_map import StrikeMap
from dovetail.studies.refuelling.funnel_strike import Ending

pytestmark = pytest.mark.slow  # a whole map, however small


@pytest.fixture(scope="module")
def parameter_map(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("map"))
    return StrikeMap(offset=(0.05, 0.2, 0.35), speed=(1.5,), batch=2, folder=folder, tracking_distance=0.75)


@pytest.fixture(scope="module")
def data(parameter_map):
    return parameter_map.compute()


def test_endings_by_offset(data):
    assert [Ending(int(e)) for e in data.ending.values[:, 0, 0]] == [
        Ending.LATCHED,
        Ending.LIMIT_TRIP,
        Ending.MISS,
    ]
    assert data.drogue_attitude_change.attrs["units"] == "rad"


def test_a_map_continues_from_its_finished_blocks(parameter_map, data, monkeypatch):
    def refuse(*_):
        raise AssertionError("a finished block was computed again")

    monkeypatch.setattr(funnel_map, "_strikes", refuse)
    again = parameter_map.compute()
    np.testing.assert_array_equal(again.ending, data.ending)
    other = dataclasses.replace(parameter_map, moment_limit=500.0)
    with pytest.raises(AssertionError, match="finished"):
        other.compute()


def test_the_summary_counts_every_strike(parameter_map, data):
    text = parameter_map.summary(data)
    assert "3 strikes: 1 miss (m), 1 limit trip (!), 1 latched (o)" in text


def test_a_strike_is_equal_alone_and_in_a_batch(parameter_map):
    """A batch runs as long as its slowest strike: what the others do after their own way does not count."""
    brush, slower = (0.27, 1.5, np.radians(-8)), (0.27, 0.75, np.radians(-8))  # along the rim
    alone = parameter_map.strikes(np.array([brush, brush]))
    beside = parameter_map.strikes(np.array([brush, slower]))
    for name, column in alone.items():
        assert beside[name][0] == pytest.approx(column[0], abs=1e-12)
    longer = dataclasses.replace(parameter_map, tracking_distance=1.5).strikes(np.array([brush, brush]))
    assert (
        longer["drogue_attitude_change"][0] > 1.01 * alone["drogue_attitude_change"][0]
    )  # it would have been seen
