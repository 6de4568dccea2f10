"""The questions of a campaign's file, checked before a point is computed: their keys, and that what they name is there.

What a question may name is known beforehand for a test (its axes, and the measures it asks for) and for a traced model
(its axes, and what it shows); what a plain function of many points will give is known only where it says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dovetail.campaign import constraints
from dovetail.core.errors import Fault, ParameterError, UnknownNameError, shown, unknown_key
from dovetail.core.renamed import new_name, remark

Check = Callable[[Any], str]  # what is wrong with a value, nothing if it is right


def _word(value: Any) -> str:
    return "" if isinstance(value, str) else f"got {shown(value)}; needs a name"


def _words(value: Any) -> str:
    right = isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value)
    return "" if right else f"got {shown(value)}; needs a list of names"


def _number(value: Any) -> str:
    right = isinstance(value, float) or (type(value) is int and abs(value) < 2**53)
    return "" if right and math.isfinite(value) else f"got {shown(value)}; needs a finite number"


def _share(value: Any) -> str:
    return _number(value) or ("" if 0 < value <= 1 else f"got {value:g}; needs a share above 0 and at most 1")


def _count(value: Any) -> str:
    right = type(value) is int and 1 <= value < 10**6
    return "" if right else f"got {shown(value)}; needs a whole number of at least 1"


# kind: what it needs, what it may have besides, and the design it is for
KINDS: dict[str, tuple[dict[str, Check], dict[str, Check], str]] = {
    "largest": ({"of": _word, "measure": _word, "below": _number}, {"share": _share}, ""),
    "worst": ({"measure": _word}, {"number": _count}, ""),
    "probability": ({"rule": _word}, {}, ""),
    "pareto": ({"measures": _words}, {"number": _count}, ""),
    "rank": ({"measure": _word}, {}, "one-at-a-time"),
    "sobol": ({"measure": _word}, {}, "saltelli"),
    "morris": ({"measure": _word}, {}, "morris"),
    "surface": ({"measure": _word}, {"degree": _count}, ""),
    "trade-off": ({"measure": _word, "along": _word, "other": _word}, {"share": _share}, "grid"),
}
NAMES = ("measure", "of", "along", "other")


def faults(questions: Any, known: Collection[str] | None, design: str, place: str = "answers") -> list[Fault]:
    """All that is wrong with a list of questions; `known` are the names they may use, where those are known."""
    if not isinstance(questions, list | tuple):
        return [Fault(place, f"got {shown(questions)}; needs a list of tables, [[answers]]")]
    return [
        fault
        for i, question in enumerate(questions)
        for fault in _one(question, known, design, f"{place}.{i}")
    ]


def _one(question: Any, known: Collection[str] | None, design: str, place: str) -> list[Fault]:
    if not isinstance(question, Mapping):
        return [Fault(place, f"got {shown(question)}; needs a table with a kind")]
    kind = question.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        new = remark(new_name("analyses", str(kind)))
        return [Fault(f"{place}.kind", f"got {shown(kind)}; {new or 'one of ' + ', '.join(KINDS)}")]
    needed, optional, wanted = KINDS[kind]
    found = []
    if wanted and design != wanted:
        found.append(Fault(f"{place}.kind", f'{kind}: needs a {wanted} design, this is "{design}"'))
    keys = ["kind", *needed, *optional]
    for key in question:
        if key not in keys:
            renamed = new_name("keys.campaign.analysis", key)
            found.append(Fault(f"{place}.{key}", unknown_key(key, keys, renamed)))
    for key, check in {**needed, **optional}.items():
        if key not in question:
            found += [Fault(f"{place}.{key}", f"is missing; {kind} needs it")] if key in needed else []
        elif fault := check(question[key]):
            found.append(Fault(f"{place}.{key}", fault))
    return found or _unknown(question, known, place)


def _unknown(question: Mapping[str, Any], known: Collection[str] | None, place: str) -> list[Fault]:
    """Names that mean nothing, in a question that is right otherwise."""
    named = {f"{place}.{key}": question[key] for key in NAMES if key in question}
    named |= {f"{place}.measures": str(name).lstrip("-") for name in question.get("measures", ())}
    if "rule" in question:
        try:
            named |= {f"{place}.rule, {name}": name for name in constraints.names(question["rule"])}
        except ParameterError as error:
            return [Fault(f"{place}.rule", str(error))]
    if known is None:
        return []
    return [
        Fault(
            where.partition(",")[0], str(UnknownNameError("measure or axis", name, known, renamed="measures"))
        )
        for where, name in named.items()
        if name not in known
    ]
