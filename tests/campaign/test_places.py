"""Places in a test: reading, changing, units, buffers for delays that vary."""

import jax.numpy as jnp
import pytest

from dovetail import testing
from dovetail.campaign.axes import Axis
from dovetail.campaign.places import flat, leaf, longest_buffers, parameter_at, put_leaf, unit_at
from dovetail.campaign.plan import find_test
from dovetail.core.errors import ParameterError


@pytest.fixture(scope="module")
def cs1():
    return testing.load(find_test("substructuring/cs1"))


def test_a_value_is_read_and_put(cs1):
    assert float(leaf(put_leaf(cs1, "numerical.c", 7.0), "numerical.c")) == 7.0
    assert float(leaf(cs1, "numerical.c")) == 15.0


def test_an_entry_of_an_array_is_a_place(cs1):
    wide = put_leaf(cs1, "numerical.c", 7.0)
    array = {"a": jnp.array([1.0, 2.0])}
    assert float(leaf(put_leaf(array, "a[1]", 5.0), "a[1]")) == 5.0
    with pytest.raises(ParameterError, match="no entry 3"):
        leaf(array, "a[3]")
    with pytest.raises(ParameterError, match=r"shape \(\)"):
        leaf(wide, "numerical.c[0]")


def test_what_is_declared_is_found(cs1):
    assert parameter_at(cs1, "rig.actuator.delay").unit == "s"
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
