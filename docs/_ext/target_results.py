"""Stored results of the targets (`docs/compute_targets.py`), compared with the current targets."""

import json
from pathlib import Path

from dovetail.studies import load_targets, studies
from dovetail.studies.target_counts import count_targets

REPRODUCED = Path(__file__).resolve().parents[1] / "target_results"


def kept(study):
    """Yield each target with stored value and status; None and "" if the target has changed since."""
    file = REPRODUCED / f"{study}.json"
    rows = {row["id"]: row for row in json.loads(file.read_text("utf-8"))} if file.is_file() else {}
    for target in load_targets(study):
        row = rows.get(target.id, {})
        if not target.is_computed:
            yield target, None, "data" if target.kind == "data" else "missed"
        elif row and _same(row["expected"], target.expected) and row["tolerance"] == str(target.tolerance):
            yield target, row["value"], row["status"]
        else:
            yield target, None, ""


def counts(study=None):
    """Return the table of target counts of one study or of all."""
    names = [study] if study else studies()
    return count_targets((target, status) for name in names for target, _, status in kept(name))


def _same(a, b) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, int | float):
        return abs(a - b) <= 1e-6 * abs(b)
    return a == b or str(a) == str(b)
