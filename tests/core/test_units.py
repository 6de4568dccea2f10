"""Conversion of quantities with units to SI."""

import datetime
import math

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.units import SIGNAL, angle_unit_remark, to_si


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
def test_quantities_are_converted_to_si(value, unit, si):
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
def test_the_error_for_a_value_that_is_not_a_time(value, text):
    with pytest.raises(ParameterError) as caught:
        to_si(value, "s")
    assert str(caught.value).startswith(text)


def test_the_table_of_common_units_equals_pint():
    from dovetail.core import units

    for unit, table in units._COMMON_UNITS.items():
        for name in table:
            quantity = units._registry().Quantity(f"3.7 {name}")
            assert to_si(f"3.7 {name}", unit) == pytest.approx(quantity.to(unit).magnitude, rel=1e-15)
            assert to_si(f"-2e1{name}", unit) == pytest.approx(
                -20 / 3.7 * quantity.to(unit).magnitude, rel=1e-14
            )


# factors written down from the meaning of the units, not computed by pint
PER_SECOND = {  # [rad/s]
    "Hz": 2 * math.pi,
    "mHz": 2e-3 * math.pi,
    "kHz": 2e3 * math.pi,
    "rpm": 2 * math.pi / 60,
    "rps": 2 * math.pi,
    "cycle/s": 2 * math.pi,
    "turn/min": 2 * math.pi / 60,
    "revolution/hour": 2 * math.pi / 3600,
    "rad/s": 1.0,
    "mrad/s": 1e-3,
    "deg/s": math.pi / 180,
    "degree/minute": math.pi / 180 / 60,
    "arcmin/s": math.pi / 180 / 60,
}


def test_units_of_frequency_are_converted_with_two_pi():
    rng = np.random.default_rng(16)
    for unit, factor in PER_SECOND.items():
        value = float(rng.uniform(0.1, 50.0))
        assert to_si(f"{value!r} {unit}", "rad/s") == pytest.approx(value * factor, rel=1e-14)
        assert to_si(f"{value!r} {unit}", "Hz") == pytest.approx(value * factor / (2 * math.pi), rel=1e-14)


@pytest.mark.parametrize("unit", ["1/s", "/s", "1/ms", "1/min", "counts_per_second", "becquerel"])
@pytest.mark.parametrize("wanted", ["Hz", "rad/s"])
def test_a_rate_is_not_accepted_as_a_frequency(unit, wanted):
    with pytest.raises(
        ParameterError, match=f"which counts neither cycles nor radians; needs .* in {wanted}"
    ):
        to_si(f"3 {unit}", wanted)


@pytest.mark.parametrize("unit", [*PER_SECOND, "Hz^2", "rad/s^2"])
def test_hertz_and_radians_are_not_accepted_as_a_rate(unit):
    wanted = "1/s^2" if unit.endswith("2") else "1/s"
    with pytest.raises(
        ParameterError, match=r"which counts (cycles|radians); needs .*\(neither cycles nor radians\)"
    ):
        to_si(f"3 {unit}", wanted)
    assert to_si("3 /ms", "1/s") == 3000.0


@pytest.mark.parametrize(
    ("value", "unit", "si"),
    [
        ("2 Hz/s", "rad/s^2", 4 * math.pi),
        ("2 rpm/s", "rad/s^2", 2 * math.pi / 30),
        ("40 N m", "N m/rad", 40.0),
        ("40 N m/deg", "N m/rad", 40 * 180 / math.pi),
        ("40 N m/turn", "N m/rad", 20 / math.pi),
        ("40 N m/deg", "N m", 40 * 180 / math.pi),
        ("3 N m s/rad", "N m s", 3.0),
        ("90 deg", "1", math.pi / 2),
        ("0.25 cycle", "rad", math.pi / 2),
        ("2 /deg", "1/rad", 360 / math.pi),
        ("10 m^2/Hz", "m^2 s/rad", 5 / math.pi),
    ],
)
def test_angles_inside_other_units_are_converted(value, unit, si):
    assert to_si(value, unit) == pytest.approx(si, rel=1e-14)


def test_ambiguous_cycles_are_rejected():
    for value, unit in (("3 cycle", "1"), ("2 N m/rpm", "N m s"), ("2 N m s", "N m/Hz")):
        with pytest.raises(ParameterError, match="which counts"):
            to_si(value, unit)
    with pytest.raises(ParameterError, match="counts cycles.*ambiguous"):
        to_si("3 Hz", SIGNAL)
    assert to_si("3 deg/s", SIGNAL) == pytest.approx(math.pi / 60, rel=1e-15)


def test_the_remark_on_conversions_between_cycles_and_radians():
    assert angle_unit_remark("16 Hz", "rad/s") == '"16 Hz" is 100.531 rad/s: a cycle is 2 pi rad'
    assert angle_unit_remark("90 deg/s", "Hz") == '"90 deg/s" is 0.25 Hz: a cycle is 2 pi rad'
    assert angle_unit_remark("258 rpm", "rad/s") == '"258 rpm" is 27.0177 rad/s: a cycle is 2 pi rad'
    for value, unit in (
        ("60 rpm", "Hz"),
        ("2 kHz", "Hz"),
        ("90 deg/s", "rad/s"),
        ("12 ms", "s"),
        (3.0, "Hz"),
    ):
        assert angle_unit_remark(value, unit) is None
    assert angle_unit_remark("2.5", "rad/s") is None
    assert angle_unit_remark("3 N", SIGNAL) is None


@pytest.mark.parametrize("text", ["9**9**9**9", "2^3^9 m", "9**(9**9) m", "1" * 5000, "m/0", "1 m +", "\x00"])
def test_texts_that_are_not_quantities_are_rejected_quickly(text):
    with pytest.raises(ParameterError, match="not a quantity|which is"):
        to_si(text, "m")


@pytest.mark.parametrize(
    "text",
    [
        "3,5 ms",
        "1 600 ms",
        "<b>3</b>",
        "3; 4",
        "3 ms!",
        "3 ms = 4",
        "[3] ms",
        "'3' ms",
        "3 ms #x",
        "3|4",
        "3:4 s",
        "3 // 2 s",
        "3 / 2 s",
        "3 % 2 s",
        "ms",
        "2 * 3 s",
        "1e3 4 ms",
        "3 ms, 4 ms",
        "3 + 4 s",
        "1.2.3 s",
        "- 3 s",
        "~3 s",
    ],
)
def test_a_quantity_must_be_one_number_and_a_unit(text):
    """Parts of the text are never ignored or multiplied: a decimal comma is not a factor of ten."""
    with pytest.raises(ParameterError, match="not a quantity"):
        to_si(text, "s")


@pytest.mark.parametrize(
    ("text", "unit", "si"),
    [
        ("3 µs", "s", 3e-06),
        ("1.5 1/s", "1/s", 1.5),
        ("2 1 / s", "1/s", 2.0),
        ("4 m²", "m^2", 4.0),
        ("-2ms", "s", -0.002),
        ("2 kg m^2/s^2", "N m", 2.0),
        ("3 (N s)/m", "N s/m", 3.0),
        ("5%", "1", 0.05),
        ("inf", "s", math.inf),
        ("3 m s^-1", "m/s", 3.0),
        ("2 N·m", "N m", 2.0),
        ("1 /min", "1/s", 1 / 60),
        ("90 °", "rad", math.pi / 2),
    ],
)
def test_common_spellings_of_units_are_read(text, unit, si):
    assert to_si(text, unit) == pytest.approx(si, rel=1e-12)


@pytest.mark.parametrize(
    "value", [10**400, datetime.date(2020, 1, 1), datetime.time(1), [10**400], {"a": 1}, object()]
)
def test_other_values_are_rejected(value):
    with pytest.raises(ParameterError, match="needs a number"):
        to_si(value, "m")


@pytest.mark.parametrize("text", ["2 GN/m^(3/2)", "2e9 N/m**1.5", "2 GN m^-1.5"])
def test_fractional_powers_of_units_are_read(text):
    assert to_si(text, "N/m^1.5") == 2e9
