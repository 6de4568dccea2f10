"""SI prefixes for values, and typeset units."""

from __future__ import annotations

from typing import Any

import numpy as np

FRACTION = "fraction"  # unit of a number that is printed in percent
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
