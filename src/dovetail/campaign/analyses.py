"""Checks of the analyses in a campaign file before any point is computed: their keys and the names that they use.

For a test and for a traced model the available names (parameters and measures) are determined beforehand; a function
of many points must declare them (`sweep.returns`), otherwise its names are not checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dovetail.campaign import constraints
from dovetail.core.errors import Fault, ParameterError, UnknownNameError, format_value, unknown_key
from dovetail.core.renamed import new_name, remark

Check = Callable[[Any], str]  # fault of a value; empty if it is valid


def _text_fault(value: Any) -> str:
    return "" if isinstance(value, str) else f"got {format_value(value)}; expected a name"


def _texts_fault(value: Any) -> str:
    valid = isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value)
    return "" if valid else f"got {format_value(value)}; expected a list of names"


def _number_fault(value: Any) -> str:
    valid = isinstance(value, float) or (type(value) is int and abs(value) < 2**53)
    return "" if valid and math.isfinite(value) else f"got {format_value(value)}; expected a finite number"


def _fraction_fault(value: Any) -> str:
    return _number_fault(value) or (
        "" if 0 < value <= 1 else f"got {value:g}; expected a fraction above 0 and at most 1"
    )


def _count_fault(value: Any) -> str:
    valid = type(value) is int and 1 <= value < 10**6
    return "" if valid else f"got {format_value(value)}; expected a whole number of at least 1"


# kind: required keys, optional keys, and the design that it needs
KINDS: dict[str, tuple[dict[str, Check], dict[str, Check], str]] = {
    "largest-admissible": (
        {"parameter": _text_fault, "measure": _text_fault, "limit": _number_fault},
        {"fraction": _fraction_fault},
        "",
    ),
    "worst-cases": ({"measure": _text_fault}, {"count": _count_fault}, ""),
    "probability": ({"condition": _text_fault}, {}, ""),
    "pareto": ({"measures": _texts_fault}, {"count": _count_fault}, ""),
    "main-effects": ({"measure": _text_fault}, {}, "one-at-a-time"),
    "sobol": ({"measure": _text_fault}, {}, "saltelli"),
    "morris": ({"measure": _text_fault}, {}, "morris"),
    "response-surface": ({"measure": _text_fault}, {"degree": _count_fault}, ""),
    "saturation": (
        {"measure": _text_fault, "parameter": _text_fault, "other_parameter": _text_fault},
        {"fraction": _fraction_fault},
        "grid",
    ),
}
NAME_KEYS = ("measure", "parameter", "other_parameter")


def find_faults(
    entries: Any, names: Collection[str] | None, design_kind: str, path: str = "analysis"
) -> list[Fault]:
    """Return all faults of a list of analyses; `names` are the parameters and measures, None if undetermined."""
    if not isinstance(entries, list | tuple):
        return [Fault(path, f"got {format_value(entries)}; expected a list of tables, [[analysis]]")]
    return [
        fault
        for i, entry in enumerate(entries)
        for fault in _entry_faults(entry, names, design_kind, f"{path}.{i}")
    ]


def _entry_faults(entry: Any, names: Collection[str] | None, design_kind: str, path: str) -> list[Fault]:
    if not isinstance(entry, Mapping):
        return [Fault(path, f"got {format_value(entry)}; expected a table with a kind")]
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        new = remark(new_name("analyses", str(kind)))
        text = f"got {format_value(kind)}; {new or 'expected one of ' + ', '.join(KINDS)}"
        return [Fault(f"{path}.kind", text)]
    required, optional, design = KINDS[kind]
    faults = []
    if design and design_kind != design:
        faults.append(Fault(f"{path}.kind", f'{kind}: needs a {design} design, got "{design_kind}"'))
    keys = ["kind", *required, *optional]
    for key in entry:
        if key not in keys:
            new_key = new_name("keys.campaign.analysis", key)
            faults.append(Fault(f"{path}.{key}", unknown_key(key, keys, new_key)))
    for key, check in {**required, **optional}.items():
        if key not in entry:
            faults += [Fault(f"{path}.{key}", f"is missing; {kind} needs it")] if key in required else []
        elif text := check(entry[key]):
            faults.append(Fault(f"{path}.{key}", text))
    return faults or _unknown_names(entry, names, path)


def _unknown_names(entry: Mapping[str, Any], names: Collection[str] | None, path: str) -> list[Fault]:
    """Return faults of unknown names in an analysis that is valid otherwise."""
    used = {f"{path}.{key}": entry[key] for key in NAME_KEYS if key in entry}
    used |= {f"{path}.measures": str(name).lstrip("-") for name in entry.get("measures", ())}
    if "condition" in entry:
        try:
            used |= {f"{path}.condition, {name}": name for name in constraints.names(entry["condition"])}
        except ParameterError as error:
            return [Fault(f"{path}.condition", str(error))]
    if names is None:
        return []
    return [
        Fault(
            key.partition(",")[0],
            str(UnknownNameError("measure or parameter", name, names, renamed="measures")),
        )
        for key, name in used.items()
        if name not in names
    ]
