"""How many targets there are of each origin and kind, and how many of them are met.

What agreement is worth differs: an independent number that is printed is evidence, a fitted one is not, a regression is
our own word. So targets are counted by `origin` and `kind` (see `reproduction`) and never all together. A cell reads
"9 of 10" (met of all); what holds by construction and what is data is only counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from dovetail.studies.targets import KINDS, ORIGINS, Target

_COUNTED_ONLY = ("construction", "data")


def tally(judged: Iterable[tuple[Target, str]]) -> list[tuple[str, ...]]:
    """A table with a header: one row for each origin and one for all, one column for each kind.

    `judged` are targets with their status ("met", "missed", "data", or "" where it was not computed).
    """
    found = list(judged)

    def cell(origins: tuple[str, ...], kind: str) -> str:
        mine = [status for target, status in found if target.origin in origins and target.kind == kind]
        if not mine:
            return ""
        return str(len(mine)) if kind in _COUNTED_ONLY else f"{mine.count('met')} of {len(mine)}"

    rows = [(origin, *(cell((origin,), kind) for kind in KINDS)) for origin in ORIGINS]
    head = ("origin", *("by construction" if kind == "construction" else kind for kind in KINDS))
    return [head, *rows, ("all", *(cell(ORIGINS, kind) for kind in KINDS))]


def as_text(table: list[tuple[str, ...]]) -> str:
    """The table in columns."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )


def as_markdown(table: list[tuple[str, ...]]) -> str:
    """The table as Markdown."""
    head, *rows = (f"| {' | '.join(row)} |" for row in table)
    return "\n".join([head, "|---" * len(table[0]) + "|", *rows])
