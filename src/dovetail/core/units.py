"""Units at the edge: people write `"12 ms"`, inside there is SI only.

Usual units are looked up; pint, which takes a second to load, is asked for the others and for whatever is wrong.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from dovetail.core.errors import ParameterError

SIGNAL = "signal"  # the unit of whatever signal a part acts on: any unit is taken, and turned into SI
_WORDS = {"s": "a time", "m": "a length", "kg": "a mass", "N": "a force", "Hz": "a frequency"}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z][a-zA-Z/ ]*?)\s*")
_USUAL = {  # unit: SI unit, factor; as pint has them
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0},
    "m": {"m": 1.0, "mm": 1e-3, "um": 1e-6, "cm": 1e-2, "km": 1e3},
    "m/s": {"m/s": 1.0, "mm/s": 1e-3},
    "kg": {"kg": 1.0},
    "N": {"N": 1.0, "kN": 1e3, "mN": 1e-3},
    "N m": {"N m": 1.0},
    "N/m": {"N/m": 1.0, "kN/m": 1e3},
    "Hz": {"Hz": 1.0, "kHz": 1e3},
    "rad": {"rad": 1.0, "mrad": 1e-3},
}


@cache
def _registry():
    import pint

    return pint.UnitRegistry()


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
        raise ParameterError(f"got {value!r}; needs a number{_example(unit)}")
    if isinstance(value, str):
        return _parse(value, unit)
    return float(value)


def _parse(text: str, unit: str) -> float:
    known = _NUMBER.fullmatch(text)
    if known and known[2] in _USUAL.get(unit, ()):
        return float(known[1]) * _USUAL[unit][known[2]]
    import pint

    registry = _registry()
    try:
        quantity = registry.Quantity(text)
    except (pint.PintError, ValueError, TypeError, AttributeError, SyntaxError, AssertionError) as error:
        raise ParameterError(f'got "{text}"; not a quantity{_example(unit)}') from error
    except Exception as error:  # pint lets errors of the tokenizer through
        raise ParameterError(f'got "{text}"; not a quantity{_example(unit)}') from error
    if unit == SIGNAL:
        return float(quantity.to_base_units().magnitude)
    target = "dimensionless" if unit == "1" else unit
    # a bare number in quotes is taken as SI, as it would be without the quotes
    if quantity.dimensionless and unit != "1" and str(quantity.units) == "dimensionless":
        return float(quantity.magnitude)
    try:
        return float(quantity.to(target).magnitude)
    except pint.PintError as error:
        raise ParameterError(f'got "{text}", which is {quantity.units:~}{_example(unit)}') from error


def _example(unit: str) -> str:
    if unit in ("1", SIGNAL):
        return ""
    words = f"{_WORDS[unit]} in " if unit in _WORDS else ""
    return f'; needs {words}{unit}, for example "1.5 {unit}"'
