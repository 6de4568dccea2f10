"""Varied parameters: values in SI units, ranges, faults."""

import numpy as np
import pytest

from dovetail.campaign.axes import read_parameter


def parameter(**table):
    result, faults = read_parameter({"path": "a.delay", **table}, "parameter.1", "s")
    assert not faults
    return result


def faults(**table):
    return " ".join(f.text for f in read_parameter({"path": "a.delay", **table}, "parameter.1", "s")[1])


def test_quantities_are_read_in_the_unit_of_the_parameter():
    assert parameter(values=["1 ms", 0.002]).values == (0.001, 0.002)


def test_a_parameter_is_named_by_the_last_key_of_its_path():
    assert parameter(values=[1]).name == "delay"
    result, _ = read_parameter({"path": "numerical.mass[0]", "values": [1]}, "parameter.1")
    assert result.name == "mass_0"


def test_a_range_has_even_steps_or_even_ratios():
    assert parameter(**{"min": 1, "max": 4, "count": 4}).values == (1, 2, 3, 4)
    np.testing.assert_allclose(
        parameter(**{"min": 1, "max": 100, "count": 3, "scale": "log"}).values, (1, 10, 100)
    )
    np.testing.assert_allclose(
        parameter(**{"min": 1, "max": 100, "scale": "log"}).values_at(np.array([0.5])), 10.0
    )


def test_text_values_are_allowed():
    assert parameter(values=["none", "inverse"]).numeric is False


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"values": []}, "is empty"),
        ({}, "has no values"),
        ({"min": 2, "max": 1}, "max must be above min"),
        ({"min": 0, "max": 1, "scale": "log"}, "needs a value above 0"),
        ({"min": 0, "max": 1, "count": 0}, "from 1 to"),
        ({"values": [1, 1]}, "repeated value"),
        ({"values": [[1, 2], [3, 4]]}, "is a list"),
        ({"values": ["2 kg"]}, "a time"),
        ({"values": ["linear", 2]}, "texts and numbers"),
        ({"values": [1], "max": 3}, "both values and a range"),
        ({"value": [1]}, 'did you mean "values"?'),
        ({"values": 3}, "expected a list"),
        ({"values": [float("inf")]}, "finite"),
    ],
)
def test_a_bad_parameter_is_reported(table, text):
    assert text in faults(**table)


def test_a_parameter_without_a_path_is_reported():
    assert "path of a parameter" in read_parameter({"values": [1]}, "parameter.1")[1][0].text
