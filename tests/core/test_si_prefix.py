"""SI prefixes and typeset units."""

import pytest

from dovetail.core.si_prefix import FRACTION, si_prefix, value_text


def test_units_are_typeset():
    assert si_prefix(9.81, "m/s^2") == (1.0, "m/s²")
    assert si_prefix(0.0, "N m^2") == (1.0, "N m²")


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.012, "m", (1e3, "mm")),
        (2250.0, "N/m", (1e-3, "kN/m")),
        (22.0, "N", (1.0, "N")),
        (1.0, "m", (1.0, "m")),
        (0.0, "m", (1.0, "m")),
        (7.1, "Hz", (1.0, "Hz")),
        (0.5, "1", (1.0, "")),
        (3e-7, "s", (1e9, "ns")),
    ],
)
def test_a_prefix_is_chosen(value, unit, expected):
    factor, text = si_prefix(value, unit)
    assert (factor, text) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0521, FRACTION, "5.21 %"),
        (0.9999, FRACTION, "100 %"),
        (12.34, FRACTION, "1230 %"),
        (1.1e-16, FRACTION, "< 0.001 %"),
        (0.0, FRACTION, "0 %"),
        (0.00327, "s", "3.27 ms"),
        (7690.0, "N", "7.69 kN"),
        (-3e-5, "1/s", "< 0.001 1/s"),
        (float("nan"), "s", "not determined"),
        (float("inf"), "s", "unlimited"),
        (-float("inf"), "s", "none"),
        (-0.0, "N/m", "0 N/m"),
    ],
)
def test_a_value_has_three_digits_and_its_unit(value, unit, text):
    assert value_text(value, unit) == text
