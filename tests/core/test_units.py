"""Units at the edge."""

import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.units import to_si


@pytest.mark.parametrize(
    ("value", "unit", "si"),
    [
        (3, "m", 3.0),
        ("12 ms", "s", 0.012),
        ("4.5 kN/m", "N/m", 4500.0),
        ("15 N s/m", "N s/m", 15.0),
        ("15 N*s/m", "N s/m", 15.0),
        ("90 deg", "rad", 1.5707963267948966),
        ("2.5", "m", 2.5),
        ("9.81 m/s^2", "m/s^2", 9.81),
        ("0.5", "1", 0.5),
        ("5 %", "1", 0.05),
        (["1 mm", 2], "m", [0.001, 2.0]),
    ],
)
def test_quantities_become_si(value, unit, si):
    assert to_si(value, unit) == pytest.approx(si, rel=1e-15)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("12 kg", 'got "12 kg", which is kg; needs a time in s, for example "1.5 s"'),
        ("soon", 'got "soon"; not a quantity; needs a time in s, for example "1.5 s"'),
        ("", 'got ""; not a quantity'),
        ("3 ((", 'got "3 (("; not a quantity'),
        (True, "got True; needs a number"),
        (None, "got None; needs a number"),
        ({"a": 1}, "got {'a': 1}; needs a number"),
    ],
)
def test_what_is_no_time_is_refused_with_what_would_be_right(value, text):
    with pytest.raises(ParameterError) as caught:
        to_si(value, "s")
    assert str(caught.value).startswith(text)


def test_usual_units_are_pint_s():
    """What is looked up is what pint would have said."""
    from dovetail.core import units

    for unit, table in units._USUAL.items():
        for name in table:
            quantity = units._registry().Quantity(f"3.7 {name}")
            assert to_si(f"3.7 {name}", unit) == pytest.approx(quantity.to(unit).magnitude, rel=1e-15)
            assert to_si(f"-2e1{name}", unit) == pytest.approx(
                -20 / 3.7 * quantity.to(unit).magnitude, rel=1e-14
            )
