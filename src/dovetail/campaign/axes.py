"""An axis of a campaign: what is varied, by which values or over which range.

In a file::

    [[axis]]
    path = "rig.actuator.delay"      # a parameter of the test; `paths` moves several together
    name = "delay"                   # in the results; the last word of the path by default
    values = ["1 ms", "3 ms"]        # or: from, to, count, scale = "linear" | "log"
    default = "2 ms"                 # for one-at-a-time designs; the test's own value otherwise

An axis with a range and no count is for designs that draw: Latin hypercube, Sobol, random, Morris. There it may have a
distribution (see `distributions`)::

    [[axis]]
    path = "rig.specimen.k"
    distribution = "normal"          # mean, deviation; "lognormal": median, dispersion; "triangular": likeliest
    mean = "2250 N/m"
    deviation = "110 N/m"
    from = "1800 N/m"                # cut there, where it is said
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dovetail.campaign import distributions
from dovetail.core.errors import Fault, ParameterError, shown, unknown_key
from dovetail.core.renamed import new_name
from dovetail.core.units import SIGNAL, to_si

KEYS = (
    *("path", "paths", "name", "values", "from", "to", "count", "scale", "default", "unit", "about"),
    *("distribution", *distributions.SAID),
)
MOST_VALUES = 10_000_000
NAME = re.compile(r"[A-Za-z_]\w*$")


@dataclass(frozen=True)
class Axis:
    """A varied parameter. Numbers are SI; `values` is empty where only a range is given."""

    name: str
    paths: tuple[str, ...]
    values: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    scale: str = "linear"
    default: Any = None
    unit: str = "1"
    about: str = ""
    distribution: str = "uniform"  # of what is drawn
    centre: float = 0.0  # of the distribution, and its spread: see `distributions.quantile`
    spread: float = 0.0

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.low is not None or all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in self.values
        )

    @property
    def bounded(self) -> bool:
        """Whether all its values lie between two ends."""
        return bool(self.values) or None not in (self.low, self.high)

    def ends(self) -> tuple[Any, ...]:
        """Its values, or the ends of its range; where it has none, what one of a thousand is beyond on each side."""
        if self.values or self.bounded:
            return self.values or (self.low, self.high)
        return tuple(float(value) for value in self.at(np.array([1e-3, 1 - 1e-3])))

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.distribution != "uniform":
            beside = f", {self.spread:g}" if self.spread else ""
            ends = [f"{word} {v:g}" for word, v in (("from", self.low), ("to", self.high)) if v is not None]
            return " ".join([f"{self.distribution} ({self.centre:g}{beside}){unit}", *ends])
        if self.values and (len(self.values) <= 4 or not self.numeric):
            return ", ".join(f"{v:g}" if self.numeric else str(v) for v in self.values) + unit
        low, high = self.ends()[0], self.ends()[-1]
        number = f", {len(self.values)} values" if self.values else ""
        return f"{low:g} to {high:g}{unit}{number}{', logarithmic' if self.scale == 'log' else ''}"

    def at(self, share: np.ndarray) -> np.ndarray:
        """Values at shares in [0, 1] of the range or distribution; of a list, its entries in equal parts."""
        share = np.asarray(share, float)
        if self.distribution != "uniform":
            return distributions.quantile(
                self.distribution, share, self.centre, self.spread, self.low, self.high
            )
        if self.low is None or self.high is None:
            place = np.minimum((share * len(self.values)).astype(int), len(self.values) - 1)
            return as_column([self.values[i] for i in place])
        if self.scale == "log":
            return self.low * (self.high / self.low) ** share
        return self.low + (self.high - self.low) * share


def as_column(values: list[Any]) -> np.ndarray:
    """One array of all values: float64 for numbers, else objects."""
    if all(isinstance(v, int | float | np.floating) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def read_axis(
    table: Mapping[str, Any], place: str, unit: str | None = None
) -> tuple[Axis | None, list[Fault]]:
    """An axis from its table, and all that is wrong with it; `unit` is that of the parameter, where it is known."""
    faults = [
        Fault(f"{place}.{key}", unknown_key(key, KEYS, new_name("keys.campaign.parameter", key)))
        for key in table
        if key not in KEYS
    ]
    paths = table.get("paths", [table["path"]] if "path" in table else [])
    if not isinstance(paths, list) or not paths or not all(isinstance(p, str) for p in paths):
        text = f"got {shown(paths)}; name the" if paths else "is missing; name the"
        faults.append(Fault(f"{place}.path", f"{text} parameter that is varied"))
        return None, faults
    name = table.get("name", re.sub(r"\W+", "_", paths[0].split(".")[-1]).strip("_"))
    if not NAME.match(str(name)):
        faults.append(
            Fault(f"{place}.name", f"got {shown(name)}; needs a word of letters, digits and underscores")
        )
    said = str(table.get("unit", unit or "1"))
    if said != unit and unit not in (None, SIGNAL):
        text = (
            f'got "{said}", and the parameter is in {unit}; leave it out, values may have units of their own'
        )
        faults.append(Fault(f"{place}.unit", text))
    unit = said
    about = str(table.get("about", ""))
    try:
        drawn = _drawn(table, unit) if "distribution" in table or _said(table) else None
        values, low, high, scale = (
            _values(table, unit) if drawn is None else ((), drawn.low, drawn.high, "linear")
        )
        default = _single(table["default"], unit) if "default" in table else None
    except ParameterError as error:
        return None, [*faults, Fault(place, str(error))]
    if faults:
        return None, faults
    spread = () if drawn is None else (drawn.kind, drawn.centre, drawn.spread)
    return Axis(str(name), tuple(paths), values, low, high, scale, default, unit, about, *spread), []


class _Drawn(NamedTuple):
    kind: str
    centre: float
    spread: float
    low: float | None
    high: float | None


def _said(table: Mapping[str, Any]) -> list[str]:
    return [key for key in distributions.SAID if key in table]


def _drawn(table: Mapping[str, Any], unit: str) -> _Drawn | None:
    """The distribution of an axis, cut to its range where it has one; None of a uniform one."""
    kind = table.get("distribution", "uniform")
    if not isinstance(kind, str) or (not table.get("distribution") and _said(table)):
        had = shown(kind) if not isinstance(kind, str) else f"{_said(table)[0]} and no distribution"
        raise ParameterError(f"distribution: got {had}; one of {', '.join(distributions.KINDS)}")
    units = {"dispersion": "1"}
    centre, spread = distributions.parameters(
        kind, lambda key: _number(table[key], units.get(key, unit)), tuple(table)
    )
    if kind == "uniform":
        return None
    beside = [key for key in ("values", "count", "scale") if key in table]
    if beside:
        raise ParameterError(
            f"{beside[0]}: has no meaning beside a {kind} distribution, which is for designs that draw; leave it out"
        )
    low, high = (_number(table[key], unit) if key in table else None for key in ("from", "to"))
    if low is not None and high is not None and not high > low:
        raise ParameterError(f"is empty: from {low:g} to {high:g}; to must be above from")
    found = _Drawn(kind, centre, spread, low, high)
    distributions.quantile(kind, 0.5, centre, spread, low, high)  # refuses a range that holds nothing of it
    return found


def _values(table: Mapping[str, Any], unit: str) -> tuple[tuple[Any, ...], float | None, float | None, str]:
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise ParameterError(f"scale: got {shown(scale)}; one of linear, log")
    if "values" in table:
        if "from" in table or "to" in table:
            raise ParameterError("has both values and a range; give one of them")
        entries = table["values"]
        if not isinstance(entries, list):
            raise ParameterError(f"values: got {shown(entries)}; needs a list")
        if not entries:
            raise ParameterError("is empty; give at least one value, or a range with from and to")
        values = tuple(_single(v, unit) for v in entries)
        if len(set(map(str, values))) < len(values):
            raise ParameterError(f"values: one is given twice in {list(entries)}; leave it out")
        if len(values) > MOST_VALUES:
            raise ParameterError(f"values: there are {len(values)}; at most {MOST_VALUES} of an axis")
        if len({isinstance(v, str) for v in values}) > 1:
            raise ParameterError(f"values: words and numbers are mixed in {list(entries)}; give one sort")
        return values, None, None, scale
    if "from" not in table or "to" not in table:
        raise ParameterError("has no values; give a list of values, or a range with from and to")
    low, high = (_number(table[key], unit) for key in ("from", "to"))
    if not high > low:
        raise ParameterError(f"is empty: from {low:g} to {high:g}; to must be above from")
    if scale == "log" and low <= 0:
        raise ParameterError(f"from: got {low:g}; a logarithmic scale needs a value above 0")
    count = table.get("count")
    if count is None:
        return (), low, high, scale
    if type(count) is not int or not 1 <= count <= MOST_VALUES:
        raise ParameterError(
            f"count: got {shown(count)}; needs a whole number of at least 1, at most {MOST_VALUES}"
        )
    share = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])
    drawn = low * (high / low) ** share if scale == "log" else low + (high - low) * share
    return tuple(float(v) for v in drawn), low, high, scale


def _single(value: Any, unit: str) -> Any:
    """A number in SI, or a word; a list is no value of one axis."""
    if isinstance(value, list):
        raise ParameterError(
            f"values: {shown(value)} is a list, the points of an axis are single values; vary one entry by its place, "
            "as in numerical.mass[0], or several together with paths"
        )
    if isinstance(value, bool | dict):
        raise ParameterError(f"values: got {shown(value)}; needs numbers, quantities or words")
    if isinstance(value, str) and not re.match(r"\s*[-+.\d]", value):
        return value  # a word; what begins as a number does is a quantity
    return _number(value, unit)


def _number(value: Any, unit: str) -> float:
    number = to_si(value, unit)
    if not isinstance(number, float) or not np.isfinite(number):
        raise ParameterError(f"got {shown(value)}; needs a finite number")
    return number
