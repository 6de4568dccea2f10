"""SI prefixes and typeset units."""

import pytest

from dovetail.core.si_prefix import si_prefix


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
