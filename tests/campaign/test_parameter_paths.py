"""Paths in a test: units, buffers for varied delays, nested tables."""

import pytest

from dovetail import testing
from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.parameter_paths import flatten, size_delay_buffers, unit_at
from dovetail.campaign.plan import find_test


@pytest.fixture(scope="module")
def cs1():
    return testing.load(find_test("substructuring/cs1"))


def test_declared_parameters_are_found_by_path(cs1):
    assert unit_at(cs1, {"path": "numerical.k"}) == "N/m"
    assert unit_at(cs1, {"path": "numerical.nothing"}) == "signal"
    assert unit_at(cs1, {"paths": ["rate"]}) == "Hz"


def test_a_varied_delay_gets_a_buffer_for_its_maximum(cs1):
    parameter = VariedParameter("delay", ("rig.actuator.delay",), (1e-3, 9e-3))
    assert size_delay_buffers(cs1, [parameter]).rig.actuator.max_delay == 9e-3
    parameter = VariedParameter("delay", ("rig.actuator.delay",), low=1e-3, high=8e-3)
    assert size_delay_buffers(cs1, [parameter]).rig.actuator.max_delay == 8e-3


def test_tables_are_flattened_to_paths():
    assert flatten({"a": {"b": 1, "c": {"d": 2}}, "e": [3]}) == {"a.b": 1, "a.c.d": 2, "e": [3]}
    moved = {"schedule": {"rig.specimen.k": {"final": 3}}}
    assert flatten(moved) == {'schedule."rig.specimen.k".final': 3}
