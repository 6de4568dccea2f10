"""Places in a test: reading, changing, units, buffers for delays that vary."""

import pytest

from dovetail import testing
from dovetail.campaign.axes import Axis
from dovetail.campaign.parameter_paths import flat, longest_buffers, unit_at
from dovetail.campaign.plan import find_test


@pytest.fixture(scope="module")
def cs1():
    return testing.load(find_test("substructuring/cs1"))


def test_what_is_declared_is_found(cs1):
    assert unit_at(cs1, {"path": "numerical.k"}) == "N/m"
    assert unit_at(cs1, {"path": "numerical.nothing"}) == "signal"
    assert unit_at(cs1, {"paths": ["rate"]}) == "Hz"


def test_a_delay_that_varies_gets_room_for_the_longest(cs1):
    axis = Axis("delay", ("rig.actuator.delay",), (1e-3, 9e-3))
    assert longest_buffers(cs1, [axis]).rig.actuator.longest == 9e-3
    axis = Axis("delay", ("rig.actuator.delay",), low=1e-3, high=8e-3)
    assert longest_buffers(cs1, [axis]).rig.actuator.longest == 8e-3


def test_tables_are_flattened_to_paths():
    assert flat({"a": {"b": 1, "c": {"d": 2}}, "e": [3]}) == {"a.b": 1, "a.c.d": 2, "e": [3]}
    moved = {"schedule": {"rig.specimen.k": {"after": 3}}}
    assert flat(moved) == {'schedule."rig.specimen.k".after': 3}
