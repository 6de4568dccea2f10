"""Settings of a campaign file besides subject and parameters: modes, seeds, measures, signals and design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dovetail.campaign import analyses, sampling
from dovetail.campaign.measures import read_measure
from dovetail.core.errors import DovetailError, Fault, format_value, unknown_key
from dovetail.core.renamed import new_name, remark
from dovetail.testing.modes import all_modes, mode_named

DESIGN_KEYS = ("kind", "count", "seed")
MAX_SEEDS = 1_000_000


def read_settings(table: Mapping[str, Any], subject: str, faults: list[Fault]) -> dict[str, Any]:
    """Return all fields of a campaign except the subject and the parameters."""
    design = _design(table, faults)
    modes = _texts(table, "modes", faults)
    faults += [
        Fault(
            "modes", f'got "{m}"; {remark(new_name("modes", m)) or "one of " + ", ".join(_batched_modes())}'
        )
        for m in modes
        if not mode_named(m).batched
    ]
    seeds = _seeds(table, faults)
    measures = _texts(table, "measures", faults)
    for text in measures:
        try:
            read_measure(text)
        except DovetailError as error:
            faults.append(Fault("measures", str(error)))
    if subject == "test" and not measures and not table.get("signals"):
        faults.append(Fault("measures", 'none given; name at least one, for example ["rms e1"]'))
    entries = table.get("analysis", [])
    faults += analyses.find_faults(entries, None, design["design_kind"])
    sizes = {key: table.get(key, 0) for key in ("chunk", "batch")}
    numbers = {**sizes, "design.count": design["point_count"], "design.seed": design["seed"]}
    for key, size in numbers.items():
        if type(size) is not int or not 0 <= size < 2**63:
            faults.append(Fault(key, f"got {format_value(size)}; expected a whole number"))
    return {
        "title": str(table.get("title", "")),
        "source": str(table.get("source", "")),
        **design,
        "modes": modes,
        "seeds": seeds,
        "measures": measures,
        "signals": _texts(table, "signals", faults),
        "constraints": _texts(table, "constraints", faults),
        "analyses": tuple(entries) if isinstance(entries, list) else (),
        **sizes,
    }


def _batched_modes() -> list[str]:
    return [name for name, mode in all_modes().items() if mode.batched]


def _texts(table: Mapping[str, Any], key: str, faults: list[Fault]) -> tuple[str, ...]:
    """Return one text or a list of texts as a tuple."""
    value = table.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        faults.append(Fault(key, f"got {format_value(value)}; expected a list of texts"))
        return ()
    return tuple(value)


def _design(table: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """Return kind, size and seed of the design of experiments."""
    design = table.get("design", {})
    if not isinstance(design, Mapping):
        faults.append(
            Fault("design", f"got {format_value(design)}; expected a table with {', '.join(DESIGN_KEYS)}")
        )
        design = {}
    for key in design:
        if key not in DESIGN_KEYS:
            new = new_name("keys.campaign.design", key)
            faults.append(Fault(f"design.{key}", unknown_key(key, DESIGN_KEYS, new)))
    kind = design.get("kind", "grid")
    if not isinstance(kind, str):
        faults.append(
            Fault("design.kind", f"got {format_value(kind)}; expected one of {', '.join(sampling.KINDS)}")
        )
    return {"design_kind": kind, "point_count": design.get("count", 0), "seed": design.get("seed", 0)}


def _seeds(table: Mapping[str, Any], faults: list[Fault]) -> tuple[int, ...]:
    """Return the seeds of the replicates, given as their number or as a list."""
    seeds = table.get("seeds", [])
    if type(seeds) is int and 0 <= seeds <= MAX_SEEDS:
        seeds = list(range(seeds))
    if not isinstance(seeds, list) or not all(type(s) is int and 0 <= s < 2**63 for s in seeds):
        text = f"expected a number of replicates (at most {MAX_SEEDS}), or a list of seeds"
        faults.append(Fault("seeds", f"got {format_value(table['seeds'])}; {text}"))
        return ()
    return tuple(seeds)
