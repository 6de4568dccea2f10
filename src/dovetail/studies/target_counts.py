"""Number of reproduction targets by origin and kind, and how many of them are met.

Agreement with an independent printed number validates a model; agreement with a fitted number or a regression value
does not. Targets are therefore counted by `origin` and `kind` (see `targets`) and never as one total. A cell reads
"9 of 10" (met of all). Targets by construction and data are counted only.
"""

from __future__ import annotations

from collections.abc import Iterable

from dovetail.studies.targets import KINDS, ORIGINS, Target

_COUNTED_ONLY = ("construction", "data")


def count_targets(results: Iterable[tuple[Target, str]]) -> list[tuple[str, ...]]:
    """Return a table with a header: one row for each origin and one for all, one column for each kind.

    `results` are targets with their status: "met", "missed", "data", or "" for a target that was not computed.
    """
    rows_with_status = list(results)

    def cell(origins: tuple[str, ...], kind: str) -> str:
        mine = [
            status for target, status in rows_with_status if target.origin in origins and target.kind == kind
        ]
        if not mine:
            return ""
        return str(len(mine)) if kind in _COUNTED_ONLY else f"{mine.count('met')} of {len(mine)}"

    rows = [(origin, *(cell((origin,), kind) for kind in KINDS)) for origin in ORIGINS]
    head = ("origin", *("by construction" if kind == "construction" else kind for kind in KINDS))
    return [head, *rows, ("all", *(cell(ORIGINS, kind) for kind in KINDS))]


def as_text(table: list[tuple[str, ...]]) -> str:
    """Return the table as text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )


def as_markdown(table: list[tuple[str, ...]]) -> str:
    """Return the table as Markdown."""
    head, *rows = (f"| {' | '.join(row)} |" for row in table)
    return "\n".join([head, "|---" * len(table[0]) + "|", *rows])
