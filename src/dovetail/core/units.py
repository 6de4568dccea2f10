"""Conversion of quantities with units such as `"12 ms"` to SI; inside Dovetail all numbers are SI.

A frequency [Hz] counts cycles, an angular frequency [rad/s] radians, and a cycle is 2 pi radians. Hertz, rpm, turns,
degrees and radians are converted accordingly: `"16 Hz"` is 100.5 rad/s, `"60 rpm"` is 1 Hz. A rate [1/s], such as an
inverse time constant or a growth rate, counts neither and is accepted for a rate only; hertz and rad/s are not accepted
for a rate, because the factor 2 pi would be ambiguous. In other units the radian is one, as in SI: `"40 N m"` is
40 N m/rad and `"90 deg"` the number pi/2.

Common units are looked up in a table. Other units and faulty texts are handled by pint, which takes a second to load.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, NamedTuple, overload

from dovetail.core.errors import ParameterError, format_value

PARAMETER = "parameter"  # unit of the parameter that is tuned or scheduled; known to the reader of the test
SIGNAL = "signal"  # unit of the signal that a part acts on: any unit is accepted and converted to SI
_WORDS = {
    "s": "a time",
    "m": "a length",
    "kg": "a mass",
    "N": "a force",
    "Hz": "a frequency",
    "rad/s": "an angular frequency or speed",
    "1/s": "a rate",
}
_CYCLES = (
    "hertz",
    "turn",
    "revolutions_per_minute",
    "revolutions_per_second",
)  # units of pint that count cycles
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z][\w/ ^]*?)\s*")
MAX_LENGTH = 200  # characters of a quantity
# one number, then a unit: pint multiplies adjacent terms and ignores unknown characters, so it would read "3,5 ms" as
# 35 ms and "1 600 N" as 600 N
_QUANTITY = re.compile(
    r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf)(?![\d.])\s*(?:1\s*/)?(.*)", re.S
)
_EXPONENT = re.compile(r"(?:\^|\*\*)\s*(?:\(\s*[-+]?[\d.]+(?:\s*/\s*\d+)?\s*\)|[-+]?[\d.]+)")
_NO_UNIT = re.compile(r"[^\w\s%°/*()²³·⁻¹]|(?<![^\W\d_])(?<!\d)\d|//")
# powers of units have one digit and are not nested; pint would compute 9**9**9 completely
_POWER = re.compile(r"\s*([-+]?\d(\.\d+)?|\(\s*[-+]?\d(\.\d+)?(\s*/\s*\d)?\s*\))\s*(?![\d.])")
_COMMON_UNITS = {  # SI unit: other units and their factors, equal to those of pint
    "s": {"ms": 1e-3, "us": 1e-6, "min": 60.0},
    "m": {"mm": 1e-3, "um": 1e-6, "cm": 1e-2, "km": 1e3},
    "m/s": {"mm/s": 1e-3, "km/s": 1e3},
    "N": {"kN": 1e3, "mN": 1e-3},
    "N/m": {"kN/m": 1e3, "MN/m": 1e6},
    "N s/m": {"kN s/m": 1e3},
    "Hz": {"kHz": 1e3},
    "rad": {"mrad": 1e-3, "deg": math.pi / 180},
}


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry()


@overload
def to_si(value: str | float, unit: str) -> float: ...
@overload
def to_si(value: Any, unit: str) -> float | list[Any]: ...


def to_si(value: Any, unit: str) -> float | list[Any]:
    """Return a number, a quantity with unit (`"4.5 kN/m"`) or a list of them in the SI unit `unit`.

    >>> to_si("12 ms", "s")
    0.012
    >>> to_si([1, "2 cm"], "m")
    [1.0, 0.02]
    """
    if isinstance(value, list | tuple):
        return [to_si(v, unit) for v in value]
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        raise ParameterError(f"got {format_value(value)}; needs a number{_example(unit)}")
    if isinstance(value, str):
        return _parse(value, unit)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:  # a date, or an integer too large for a float
        raise ParameterError(f"got {format_value(value)}; needs a number{_example(unit)}") from error


def _parse(text: str, unit: str) -> float:
    value = _from_common_unit(text, unit)
    if value is not None:
        return value
    try:
        powers = text.replace("**", "^").split("^")[1:]
        rests = [_POWER.sub("", power, count=1) if _POWER.match(power) else None for power in powers]
        if len(text) > MAX_LENGTH or None in rests or "" in rests[:-1]:
            raise ValueError("too long, or not a power of a unit")
        match = _QUANTITY.fullmatch(text)
        if match is None or _NO_UNIT.search(_EXPONENT.sub("", match[1])):
            raise ValueError("not a number followed by a unit")
        return _by_pint(text, unit)
    except ParameterError:
        raise
    except Exception as error:  # pint passes on errors of the tokenizer and of arithmetic
        raise ParameterError(f"got {format_value(text)}; not a quantity{_example(unit)}") from error


def _from_common_unit(text: str, unit: str) -> float | None:
    """Return a quantity in the needed unit or in one of the table; None for any other unit."""
    match = _NUMBER.fullmatch(text)
    if match is None or unit in (SIGNAL, PARAMETER):
        return None
    factor = 1.0 if match[2] == unit else _COMMON_UNITS.get(unit, {}).get(match[2])
    return None if factor is None else float(match[1]) * factor


def _by_pint(text: str, unit: str) -> float:
    import pint

    registry = _registry()
    quantity = registry.Quantity(text)
    if unit == PARAMETER and not str(quantity.units) == "dimensionless":
        raise ParameterError(f'got "{text}" for an unknown parameter; its unit cannot be checked')
    if unit == SIGNAL:
        if _angle(quantity).cycles:
            raise ParameterError(
                f'got "{text}", which counts cycles, for a signal of unknown unit: Hz or rad/s would be ambiguous; '
                "give the number without a unit"
            )
        return float(quantity.to_base_units().magnitude)
    # a number in quotes without unit is SI, as without the quotes
    if quantity.dimensionless and unit != "1" and str(quantity.units) == "dimensionless":
        return float(quantity.magnitude)
    target = registry.Quantity(1, _pint(unit))
    try:
        value = float(quantity.to(target.units).magnitude)
    except pint.PintError as error:
        raise ParameterError(f'got "{text}", which is {quantity.units:~}{_example(unit)}') from error
    angle, target_angle = _angle(quantity), _angle(target)
    if angle.power != target_angle.power and (angle.cycles or target_angle.cycles or _per_time(target)):
        raise ParameterError(
            f'got "{text}", which counts {_counts(angle)}{_example(unit)} ({_counts(target_angle)})'
        )
    return float(value * (2 * math.pi) ** (angle.hertz - target_angle.hertz))  # in pint the hertz is 1/s


def angle_unit_remark(value: Any, unit: str) -> str | None:
    """Return a remark on a quantity that is converted between cycles and radians; None for any other.

    >>> angle_unit_remark("16 Hz", "rad/s")
    '"16 Hz" is 100.531 rad/s: a cycle is 2 pi rad'
    """
    if not isinstance(value, str) or unit in (SIGNAL, PARAMETER):
        return None
    if _from_common_unit(value, unit) is not None:
        return None
    si = _parse(value, unit)
    registry = _registry()
    angle = _angle(registry.Quantity(value))
    target = _angle(registry.Quantity(1, _pint(unit)))
    if not angle.power or angle.power != target.power or angle.cycles == target.cycles:
        return None
    return f'"{value}" is {si:g} {unit}: a cycle is 2 pi rad'


class _Angle(NamedTuple):
    """Angle in a unit: its power, whether it is counted in cycles, and the power of the hertz."""

    power: float
    cycles: bool
    hertz: float


def _angle(quantity: Any) -> _Angle:
    units = quantity.unit_items()
    hertz = sum(power for name, power in units if name.endswith("hertz"))
    radians = dict(quantity.to_root_units().unit_items()).get("radian", 0)
    return _Angle(radians + hertz, any(name.endswith(_CYCLES) for name, _ in units), hertz)


def _per_time(quantity: Any) -> bool:
    """Return whether a unit is a negative power of time, except for angles."""
    dimensions = quantity.dimensionality
    return set(dimensions) == {"[time]"} and dimensions["[time]"] < 0


def _counts(angle: _Angle) -> str:
    if not angle.power:
        return "neither cycles nor radians"
    return "cycles" if angle.cycles else "radians"


def _pint(unit: str) -> str:
    """Return a unit in the notation of pint."""
    return "dimensionless" if unit in ("1", PARAMETER) else unit


def _example(unit: str) -> str:
    if unit in ("1", SIGNAL, PARAMETER):
        return ""
    words = f"{_WORDS[unit]} in " if unit in _WORDS else ""
    return f'; needs {words}{unit}, for example "1.5 {unit}"'
