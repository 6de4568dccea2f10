"""Exchange of a part for another kind of its family, with values for required parameters.

A value comes from the first source that has it: the old part (same parameter name); for the delay of a compensator,
the rig; the shortest use of the new kind in the test files of the studies; a number in the declared range. The user
sees the values and can change them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dovetail.app.part_examples import shortest_uses
from dovetail.core.errors import AnalysisError, UnknownNameError
from dovetail.core.kinds import find
from dovetail.core.parameter import ParameterDeclaration, declared_parameters
from dovetail.core.parameter_text import required
from dovetail.core.units import PARAMETER, SIGNAL
from dovetail.testing.paths import steps


def fill_new_part(
    test: Any, table: dict[str, Any], path: str, kind: str, from_studies: bool = True
) -> dict[str, Any]:
    """Return the changes, by path, that replace the part at a path; `table` is the table of the file."""
    rig_delay = _rig_delay(test) if path == "compensator" else {}
    example = shortest_uses().get(kind, ("", {}, ""))[1] if from_studies else {}
    old: Any = table
    for step in steps(path):
        old = old.get(step, {}) if isinstance(old, dict) else old[int(step)] if isinstance(old, list) else {}
    if not isinstance(old, dict):  # the part is given by its kind only
        return {path: {"kind": kind, **_required_values(kind, {}, example | rig_delay)}}
    return {
        f"{path}.kind": kind,
        **{f"{path}.{name}": v for name, v in _required_values(kind, old, example | rig_delay).items()},
    }


def with_element(table: dict[str, Any], path: str, kind: str) -> dict[str, Any]:
    """Return the changes, by path, that append an element of a kind to the series at a path."""
    old: Any = table
    for step in steps(path):
        old = old.get(step, {}) if isinstance(old, dict) else old[int(step)]
    example = shortest_uses().get(kind, ("", {}, ""))[1]
    element = {"kind": kind, **_required_values(kind, {}, example)}
    return {path: {"kind": "series", "parts": [*old.get("parts", ()), element]}}


def _rig_delay(test: Any) -> dict[str, Any]:
    """Return the low-frequency delay of the actuator for a compensator; empty without a linear model."""
    try:
        delay = float(np.max(test.rig.actuator.linear().low_frequency_delay))
    except (AnalysisError, AttributeError):
        return {}
    return {"delay": f"{1e3 * delay:.6g} ms"} if delay > 0 else {}


def _required_values(kind: str, present: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    """Return values of a kind's required parameters that are not set yet."""
    try:
        cls: Any = find(kind)
    except UnknownNameError:
        return {}  # the file reader reports it
    about = declared_parameters(cls)
    values = {}
    for field in dataclasses.fields(cls):
        if not field.init or field.name in present or not required(field):
            continue
        if field.name in example:
            values[field.name] = example[field.name]
        elif field.name in about:
            values[field.name] = _value_in_range(about[field.name])
    return values


def _value_in_range(about: ParameterDeclaration) -> Any:
    """Return a value in the declared range (1 if allowed), with its unit."""
    if about.choices:
        return about.choices[0]
    low = max(about.at_least, about.above)
    high = min(about.at_most, about.below)
    number = 1.0 if about.fault(1.0) is None else (low + high) / 2 if high - low < float("inf") else low + 1.0
    return number if about.unit in ("1", SIGNAL, PARAMETER) else f"{number:g} {about.unit}"
