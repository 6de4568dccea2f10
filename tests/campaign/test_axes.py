"""Axes: values in SI, ranges, and what is wrong with one."""

import numpy as np
import pytest

from dovetail.campaign.axes import read_axis


def axis(**table):
    found, faults = read_axis({"path": "a.delay", **table}, "axis.1", "s")
    assert not faults
    return found


def faults(**table):
    return " ".join(f.text for f in read_axis({"path": "a.delay", **table}, "axis.1", "s")[1])


def test_quantities_are_read_in_the_unit_of_the_parameter():
    assert axis(values=["1 ms", 0.002]).values == (0.001, 0.002)


def test_its_name_is_the_last_word_of_its_path():
    assert axis(values=[1]).name == "delay"
    found, _ = read_axis({"path": "numerical.mass[0]", "values": [1]}, "axis.1")
    assert found.name == "mass_0"


def test_a_range_has_even_steps_or_even_ratios():
    assert axis(**{"from": 1, "to": 4, "count": 4}).values == (1, 2, 3, 4)
    np.testing.assert_allclose(
        axis(**{"from": 1, "to": 100, "count": 3, "scale": "log"}).values, (1, 10, 100)
    )
    np.testing.assert_allclose(axis(**{"from": 1, "to": 100, "scale": "log"}).at(np.array([0.5])), 10.0)


def test_words_are_values_too():
    assert axis(values=["none", "inverse"]).numeric is False


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"values": []}, "is empty"),
        ({}, "has no values"),
        ({"from": 2, "to": 1}, "to must be above from"),
        ({"from": 0, "to": 1, "scale": "log"}, "needs a value above 0"),
        ({"from": 0, "to": 1, "count": 0}, "at least 1"),
        ({"values": [1, 1]}, "given twice"),
        ({"values": [[1, 2], [3, 4]]}, "is a list"),
        ({"values": ["2 kg"]}, "a time"),
        ({"values": ["linear", 2]}, "mixed"),
        ({"values": [1], "to": 3}, "both values and a range"),
        ({"value": [1]}, 'did you mean "values"?'),
        ({"values": 3}, "needs a list"),
        ({"values": [float("inf")]}, "finite"),
    ],
)
def test_a_bad_axis_is_told(table, text):
    assert text in faults(**table)


def test_an_axis_without_a_path_is_told():
    assert "name the parameter" in read_axis({"values": [1]}, "axis.1")[1][0].text
