"""Units at the edge: people write `"12 ms"`, inside there is SI only.

A frequency [Hz] counts cycles, an angular one [rad/s] radians, and a cycle is 2 pi radians: hertz, rpm, turns,
degrees and radians are converted into one another by that (`"16 Hz"` is 100.5 rad/s, `"60 rpm"` is 1 Hz). A rate
[1/s] counts neither: the inverse of a time constant, the growth of an envelope. It is taken for a rate alone, and
neither hertz nor rad/s are taken for it, as nobody can tell whether the 2 pi was meant. Elsewhere the radian is one,
as in SI: `"40 N m"` is 40 N m/rad and `"90 deg"` the number pi/2.

Usual units are looked up; pint, which takes a second to load, is asked for the others and for whatever is wrong.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, NamedTuple, overload

from dovetail.core.errors import ParameterError, shown

PARAMETER = (
    "parameter"  # the unit of whatever parameter a dial or a schedule moves; the reader of a test knows it
)
SIGNAL = "signal"  # the unit of whatever signal a part acts on: any unit is taken, and turned into SI
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
)  # what counts them, as pint says it
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z][\w/ ^]*?)\s*")
LONGEST = 200  # characters of a quantity
# one number, then a unit: pint would multiply what stands side by side, and leave out signs that it does not know, so
# that "3,5 ms" were 35 ms and "1 600 N" 600 N
_QUANTITY = re.compile(
    r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf)(?![\d.])\s*(?:1\s*/)?(.*)", re.S
)
_EXPONENT = re.compile(r"(?:\^|\*\*)\s*(?:\(\s*[-+]?[\d.]+(?:\s*/\s*\d+)?\s*\)|[-+]?[\d.]+)")
_NO_UNIT = re.compile(r"[^\w\s%°/*()²³·⁻¹]|(?<![^\W\d_])(?<!\d)\d|//")
# powers of a unit have one digit, and none has a power of its own; pint would compute 9**9**9 to the end
_POWER = re.compile(r"\s*([-+]?\d(\.\d+)?|\(\s*[-+]?\d(\.\d+)?(\s*/\s*\d)?\s*\))\s*(?![\d.])")
_USUAL = {  # SI unit: other units and their factors; as pint has them
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
def _registry():
    import pint

    return pint.UnitRegistry()


@overload
def to_si(value: str | float, unit: str) -> float: ...
@overload
def to_si(value: Any, unit: str) -> float | list: ...


def to_si(value: Any, unit: str) -> float | list:
    """A number, a quantity in words (`"4.5 kN/m"`) or a list of them, in the SI unit `unit`.

    >>> to_si("12 ms", "s")
    0.012
    >>> to_si([1, "2 cm"], "m")
    [1.0, 0.02]
    """
    if isinstance(value, list | tuple):
        return [to_si(v, unit) for v in value]
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        raise ParameterError(f"got {shown(value)}; needs a number{_example(unit)}")
    if isinstance(value, str):
        return _parse(value, unit)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:  # a date; a whole number beyond any float
        raise ParameterError(f"got {shown(value)}; needs a number{_example(unit)}") from error


def _parse(text: str, unit: str) -> float:
    usual = _usual(text, unit)
    if usual is not None:
        return usual
    try:
        powers = text.replace("**", "^").split("^")[1:]
        rests = [_POWER.sub("", power, count=1) if _POWER.match(power) else None for power in powers]
        if len(text) > LONGEST or None in rests or "" in rests[:-1]:
            raise ValueError("too long, or a power that is no unit's")
        found = _QUANTITY.fullmatch(text)
        if found is None or _NO_UNIT.search(_EXPONENT.sub("", found[1])):
            raise ValueError("no number with a unit behind it")
        return _by_pint(text, unit)
    except ParameterError:
        raise
    except Exception as error:  # pint lets errors of the tokenizer, and of arithmetic, through
        raise ParameterError(f"got {shown(text)}; not a quantity{_example(unit)}") from error


def _usual(text: str, unit: str) -> float | None:
    """A quantity in the very unit that is needed, or in one that is usual for it; None of any other."""
    known = _NUMBER.fullmatch(text)
    if known is None or unit in (SIGNAL, PARAMETER):
        return None
    factor = 1.0 if known[2] == unit else _USUAL.get(unit, {}).get(known[2])
    return None if factor is None else float(known[1]) * factor


def _by_pint(text: str, unit: str) -> float:
    import pint

    registry = _registry()
    quantity = registry.Quantity(text)
    if unit == PARAMETER and not str(quantity.units) == "dimensionless":
        raise ParameterError(f'got "{text}" for a parameter that is not known; its unit cannot be checked')
    if unit == SIGNAL:
        if _angle(quantity).cycles:
            raise ParameterError(
                f'got "{text}" where the unit that is needed is not known: it counts cycles, and could be meant in Hz '
                "or in rad/s; give the number without a unit"
            )
        return float(quantity.to_base_units().magnitude)
    # a bare number in quotes is taken as SI, as it would be without the quotes
    if quantity.dimensionless and unit != "1" and str(quantity.units) == "dimensionless":
        return float(quantity.magnitude)
    target = registry.Quantity(1, _pint(unit))
    try:
        value = float(quantity.to(target.units).magnitude)
    except pint.PintError as error:
        raise ParameterError(f'got "{text}", which is {quantity.units:~}{_example(unit)}') from error
    given, wanted = _angle(quantity), _angle(target)
    if given.power != wanted.power and (given.cycles or wanted.cycles or _per_time(target)):
        raise ParameterError(
            f'got "{text}", which counts {_counts(given)}{_example(unit)} ({_counts(wanted)})'
        )
    return value * (2 * math.pi) ** (given.hertz - wanted.hertz)  # pint has the hertz as 1/s


def turned(value: Any, unit: str) -> str | None:
    """What is to be said of a quantity whose cycles become radians, or radians cycles; None of any other.

    >>> turned("16 Hz", "rad/s")
    '"16 Hz" is 100.531 rad/s: a cycle is 2 pi rad'
    """
    if not isinstance(value, str) or unit in (SIGNAL, PARAMETER):
        return None
    if _usual(value, unit) is not None:
        return None
    si = _parse(value, unit)
    registry = _registry()
    given = _angle(registry.Quantity(value))
    wanted = _angle(registry.Quantity(1, _pint(unit)))
    if not given.power or given.power != wanted.power or given.cycles == wanted.cycles:
        return None
    return f'"{value}" is {si:g} {unit}: a cycle is 2 pi rad'


class _Angle(NamedTuple):
    """How a unit counts turns: the power of the angle in it, whether in cycles, the power of the hertz."""

    power: float
    cycles: bool
    hertz: float


def _angle(quantity: Any) -> _Angle:
    units = quantity.unit_items()
    hertz = sum(power for name, power in units if name.endswith("hertz"))
    radians = dict(quantity.to_root_units().unit_items()).get("radian", 0)
    return _Angle(radians + hertz, any(name.endswith(_CYCLES) for name, _ in units), hertz)


def _per_time(quantity: Any) -> bool:
    """Whether it is a power of one over time and nothing else, angles apart."""
    dimensions = quantity.dimensionality
    return set(dimensions) == {"[time]"} and dimensions["[time]"] < 0


def _counts(angle: _Angle) -> str:
    if not angle.power:
        return "neither cycles nor radians"
    return "cycles" if angle.cycles else "radians"


def _pint(unit: str) -> str:
    """A unit as pint has it."""
    return "dimensionless" if unit in ("1", PARAMETER) else unit


def _example(unit: str) -> str:
    if unit in ("1", SIGNAL, PARAMETER):
        return ""
    words = f"{_WORDS[unit]} in " if unit in _WORDS else ""
    return f'; needs {words}{unit}, for example "1.5 {unit}"'
