"""A part exchanged for another of its family: what the new one needs and the old one has not is given to it.

In this order: what the old part has under the same name; for the delay of a compensator that of the rig; the shortest
use of the new kind in the files of the studies; a number of its declared range. Who exchanges a part sees
the values and may set others.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from dovetail.cli.parts import shortest_uses
from dovetail.core.errors import AnalysisError, UnknownNameError
from dovetail.core.kinds import find
from dovetail.core.parameter import Parameter, declared
from dovetail.core.parameter_text import required
from dovetail.core.units import PARAMETER, SIGNAL
from dovetail.testing.paths import steps


def filled(
    test: Any, said: dict[str, Any], path: str, kind: str, from_studies: bool = True
) -> dict[str, Any]:
    """Changes, by path, that put a member of a family in the place of another; `said` is what the file says."""
    known = _of_rig(test) if path == "compensator" else {}
    example = shortest_uses().get(kind, ("", {}, ""))[1] if from_studies else {}
    old: Any = said
    for step in steps(path):
        old = old.get(step, {}) if isinstance(old, dict) else old[int(step)] if isinstance(old, list) else {}
    if not isinstance(old, dict):  # named by a word
        return {path: {"kind": kind, **_needed(kind, {}, example | known)}}
    return {
        f"{path}.kind": kind,
        **{f"{path}.{name}": v for name, v in _needed(kind, old, example | known).items()},
    }


def _of_rig(test: Any) -> dict[str, Any]:
    """What a compensator would be told of the rig: its delay at low frequency, where it has a model."""
    try:
        late = float(np.max(test.rig.actuator.linear().low_frequency_delay))
    except (AnalysisError, AttributeError):
        return {}
    return {"delay": f"{1e3 * late:.6g} ms"} if late > 0 else {}


def _needed(kind: str, had: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    """Values of a kind that must be said and are not yet."""
    try:
        cls: Any = find(kind)
    except UnknownNameError:
        return {}  # which the reader will say
    about = declared(cls)
    found = {}
    for field in dataclasses.fields(cls):
        if not field.init or field.name in had or not required(field):
            continue
        if field.name in example:
            found[field.name] = example[field.name]
        elif field.name in about:
            found[field.name] = _within(about[field.name])
    return found


def _within(about: Parameter) -> Any:
    """A value of a declared range, one if that is in it, with its unit."""
    if about.choices:
        return about.choices[0]
    low = max(about.at_least, about.above)
    high = min(about.at_most, about.below)
    number = 1.0 if about.fault(1.0) is None else (low + high) / 2 if high - low < float("inf") else low + 1.0
    return number if about.unit in ("1", SIGNAL, PARAMETER) else f"{number:g} {about.unit}"
