"""Varied parameters of a campaign: values, or a range with an optional distribution.

In a file::

    [[parameter]]
    path = "rig.actuator.delay"      # a parameter of the test; `paths` changes several together
    name = "delay"                   # name in the results; default: last part of the path
    values = ["1 ms", "3 ms"]        # or: min, max, count, scale = "linear" | "log"
    default = "2 ms"                 # for one-at-a-time designs; default: value of the test

A parameter with a range and no count is for random designs: Latin hypercube, Sobol, random, Morris. It may have a
distribution (see `distributions`)::

    [[parameter]]
    path = "rig.specimen.k"
    distribution = "normal"          # mean, deviation; "lognormal": median, dispersion; "triangular": likeliest
    mean = "2250 N/m"
    deviation = "110 N/m"
    min = "1800 N/m"                 # truncates the distribution (optional)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dovetail.campaign import distributions
from dovetail.core.errors import Fault, ParameterError, format_value, unknown_key
from dovetail.core.renamed import new_name
from dovetail.core.units import SIGNAL, to_si

KEYS = (
    *("path", "paths", "name", "values", "min", "max", "count", "scale", "default", "unit", "about"),
    *("distribution", *distributions.PARAMETER_KEYS),
)
MAX_VALUES = 1_000_000  # of one parameter; as numbers and as text they need 200 MB
NAME = re.compile(r"[A-Za-z_]\w*$")


@dataclass(frozen=True)
class VariedParameter:
    """Varied parameter of a campaign. Numbers are in SI units; `values` is empty if only a range is given."""

    name: str
    paths: tuple[str, ...]
    values: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    scale: str = "linear"
    default: Any = None
    unit: str = "1"
    about: str = ""
    distribution: str = "uniform"  # in random designs
    centre: float = 0.0  # centre and spread of the distribution: see `distributions.quantile`
    spread: float = 0.0

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.low is not None or all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in self.values
        )

    @property
    def bounded(self) -> bool:
        """Whether all values lie between two bounds."""
        return bool(self.values) or None not in (self.low, self.high)

    def bounds(self) -> tuple[Any, ...]:
        """Return the values, or the bounds of the range; if unbounded, the 0.1 % and 99.9 % quantiles."""
        if self.values or self.bounded:
            return self.values or (self.low, self.high)
        return tuple(float(value) for value in self.values_at(np.array([1e-3, 1 - 1e-3])))

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.distribution != "uniform":
            spread = f", {self.spread:g}" if self.spread else ""
            bounds = [f"{key} {v:g}" for key, v in (("min", self.low), ("max", self.high)) if v is not None]
            return " ".join([f"{self.distribution} ({self.centre:g}{spread}){unit}", *bounds])
        if self.values and (len(self.values) <= 4 or not self.numeric):
            return ", ".join(f"{v:g}" if self.numeric else str(v) for v in self.values) + unit
        low, high = self.bounds()[0], self.bounds()[-1]
        count = f", {len(self.values)} values" if self.values else ""
        return f"{low:g} to {high:g}{unit}{count}{', logarithmic' if self.scale == 'log' else ''}"

    def values_at(self, fraction: np.ndarray) -> np.ndarray:
        """Return values at fractions 0 to 1 of the range or distribution; of a list, its entries in equal parts."""
        fraction = np.asarray(fraction, float)
        if self.distribution != "uniform":
            return distributions.quantile(
                self.distribution, fraction, self.centre, self.spread, self.low, self.high
            )
        if self.low is None or self.high is None:
            index = np.minimum((fraction * len(self.values)).astype(int), len(self.values) - 1)
            return as_column([self.values[i] for i in index])
        if self.scale == "log":
            return self.low * (self.high / self.low) ** fraction
        return self.low + (self.high - self.low) * fraction


def as_column(values: list[Any]) -> np.ndarray:
    """Return values as one array: float64 if all are numbers, otherwise objects."""
    if all(isinstance(v, int | float | np.floating) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def read_parameter(
    table: Mapping[str, Any], path: str, unit: str | None = None
) -> tuple[VariedParameter | None, list[Fault]]:
    """Return a varied parameter from its table, and all faults; `unit` is the unit in the test, if determined."""
    faults = [
        Fault(f"{path}.{key}", unknown_key(key, KEYS, new_name("keys.campaign.parameter", key)))
        for key in table
        if key not in KEYS
    ]
    paths = table.get("paths", [table["path"]] if "path" in table else [])
    if not isinstance(paths, list) or not paths or not all(isinstance(p, str) for p in paths):
        text = f"got {format_value(paths)}; expected" if paths else "is missing; expected"
        faults.append(Fault(f"{path}.path", f"{text} the path of a parameter"))
        return None, faults
    name = table.get("name", re.sub(r"\W+", "_", paths[0].split(".")[-1]).strip("_"))
    if not NAME.match(str(name)):
        faults.append(
            Fault(f"{path}.name", f"got {format_value(name)}; expected letters, digits and underscores")
        )
    own_unit = str(table.get("unit", unit or "1"))
    if own_unit != unit and unit not in (None, SIGNAL):
        text = (
            f'got "{own_unit}"; the parameter is in {unit}. Remove the key and write the unit with each value'
        )
        faults.append(Fault(f"{path}.unit", text))
    about = str(table.get("about", ""))
    try:
        drawn = (
            _distribution(table, own_unit) if "distribution" in table or _distribution_keys(table) else None
        )
        values, low, high, scale = (
            _values(table, own_unit) if drawn is None else ((), drawn.low, drawn.high, "linear")
        )
        default = _single_value(table["default"], own_unit) if "default" in table else None
    except ParameterError as error:
        return None, [*faults, Fault(path, str(error))]
    if faults:
        return None, faults
    spread = () if drawn is None else (drawn.kind, drawn.centre, drawn.spread)
    return VariedParameter(
        str(name), tuple(paths), values, low, high, scale, default, own_unit, about, *spread
    ), []


class _Distribution(NamedTuple):
    kind: str
    centre: float
    spread: float
    low: float | None
    high: float | None


def _distribution_keys(table: Mapping[str, Any]) -> list[str]:
    return [key for key in distributions.PARAMETER_KEYS if key in table]


def _distribution(table: Mapping[str, Any], unit: str) -> _Distribution | None:
    """Return the distribution of a parameter, truncated to its range if it has one; None if uniform."""
    kind = table.get("distribution", "uniform")
    if not isinstance(kind, str) or (not table.get("distribution") and _distribution_keys(table)):
        text = (
            format_value(kind)
            if not isinstance(kind, str)
            else f"{_distribution_keys(table)[0]} without a distribution"
        )
        raise ParameterError(f"distribution: got {text}; expected one of {', '.join(distributions.KINDS)}")
    units = {"dispersion": "1"}
    centre, spread = distributions.parameters(
        kind, lambda key: _number(table[key], units.get(key, unit)), tuple(table)
    )
    if kind == "uniform":
        return None
    surplus = [key for key in ("values", "count", "scale") if key in table]
    if surplus:
        raise ParameterError(
            f"{surplus[0]}: not used with a {kind} distribution, which is for random designs; remove it"
        )
    low, high = (_number(table[key], unit) if key in table else None for key in ("min", "max"))
    if low is not None and high is not None and not high > low:
        raise ParameterError(f"range is empty: min {low:g}, max {high:g}; max must be above min")
    distributions.quantile(kind, 0.5, centre, spread, low, high)  # raises if the range has no probability
    return _Distribution(kind, centre, spread, low, high)


def _values(table: Mapping[str, Any], unit: str) -> tuple[tuple[Any, ...], float | None, float | None, str]:
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise ParameterError(f"scale: got {format_value(scale)}; expected linear or log")
    if "values" in table:
        if "min" in table or "max" in table:
            raise ParameterError("has both values and a range; give one of them")
        entries = table["values"]
        if not isinstance(entries, list):
            raise ParameterError(f"values: got {format_value(entries)}; expected a list")
        if not entries:
            raise ParameterError("values: is empty; give at least one value, or a range with min and max")
        values = tuple(_single_value(v, unit) for v in entries)
        if len(set(map(str, values))) < len(values):
            raise ParameterError(f"values: got a repeated value in {list(entries)}; remove it")
        if len(values) > MAX_VALUES:
            raise ParameterError(f"values: got {len(values)}; at most {MAX_VALUES} per parameter")
        if len({isinstance(v, str) for v in values}) > 1:
            raise ParameterError(
                f"values: got texts and numbers in {list(entries)}; expected only texts or only numbers"
            )
        return values, None, None, scale
    if "min" not in table or "max" not in table:
        raise ParameterError("has no values; give a list of values, or a range with min and max")
    low, high = (_number(table[key], unit) for key in ("min", "max"))
    if not high > low:
        raise ParameterError(f"range is empty: min {low:g}, max {high:g}; max must be above min")
    if scale == "log" and low <= 0:
        raise ParameterError(f"min: got {low:g}; a logarithmic scale needs a value above 0")
    count = table.get("count")
    if count is None:
        return (), low, high, scale
    if type(count) is not int or not 1 <= count <= MAX_VALUES:
        raise ParameterError(
            f"count: got {format_value(count)}; expected a whole number from 1 to {MAX_VALUES}"
        )
    fraction = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])
    column = low * (high / low) ** fraction if scale == "log" else low + (high - low) * fraction
    return tuple(float(v) for v in column), low, high, scale


def _single_value(value: Any, unit: str) -> Any:
    """Return a number in SI units, or a text; a list is not a value of one parameter."""
    if isinstance(value, list):
        raise ParameterError(
            f"values: {format_value(value)} is a list; expected single values. Vary one entry by its index, "
            "as in numerical.mass[0], or several together with paths"
        )
    if isinstance(value, bool | dict):
        raise ParameterError(f"values: got {format_value(value)}; expected numbers, quantities or texts")
    if isinstance(value, str) and not re.match(r"\s*[-+.\d]", value):
        return value  # a text that does not begin like a number
    return _number(value, unit)


def _number(value: Any, unit: str) -> float:
    number = to_si(value, unit)
    if not isinstance(number, float) or not np.isfinite(number):
        raise ParameterError(f"got {format_value(value)}; expected a finite number")
    return number
