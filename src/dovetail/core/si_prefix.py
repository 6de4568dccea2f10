"""Numbers as text: three significant digits, SI prefixes, typeset units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

FRACTION = "fraction"  # unit of a number that is printed in percent
NOT_DETERMINED = "not determined"
RESOLUTION = 1e-3  # printed numbers below half of it are not resolved
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M"}
_PREFIXED = ("m", "N", "s", "J", "W", "m/s", "N/m", "Pa", "V", "A")


def si_prefix(values: Any, unit: str) -> tuple[float, str]:
    """Return factor and unit with an SI prefix: 0.012 m becomes 12 mm; a fraction becomes %; other units stay."""
    if unit == FRACTION:
        return 100.0, "%"
    array = np.asarray(values, dtype=float)
    size = np.abs(array[np.isfinite(array)]).max(initial=0.0)
    if unit not in _PREFIXED or size == 0:
        return 1.0, "" if unit == "1" else typeset(unit)
    power = int(np.clip(3 * np.floor(np.log10(size) / 3 + 1e-9), -9, 6))
    return 10.0**-power, _PREFIXES[power] + unit


def typeset(unit: str) -> str:
    """Return a unit as it is printed: `m/s^2` with a superscript two."""
    return unit.replace("^2", "²").replace("^3", "³")


def value_text(value: float, unit: str) -> str:
    """Return a value with its unit: 5214 N becomes 5.21 kN, 0.0521 of unit `fraction` 5.21 %, a time milliseconds."""
    if math.isnan(value):
        return NOT_DETERMINED
    if math.isinf(value):
        return "unlimited" if value > 0 else "none"
    factor, printed = (1e3, "ms") if unit == "s" else si_prefix(value, unit)
    number = factor * value + 0.0  # no negative zero
    if 0 < abs(number) < RESOLUTION / 2:
        return f"< {RESOLUTION:g} {printed}".strip()
    digits = f"{number:.3g}"
    if "e+" in digits and abs(number) < 1e6:
        digits = f"{float(digits):.0f}"
    return f"{digits} {printed}".strip()
