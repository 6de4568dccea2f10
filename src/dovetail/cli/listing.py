"""What Dovetail has: studies and tests, reproduction targets, capabilities, literature."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table


def print_studies() -> None:
    """Studies and their tests, one line each."""
    from dovetail.studies.registry import studies

    for study in studies().values():
        print(f"{study.name:<24} {study.title}: {study.about}")
        for test in study.tests:
            print(f"  {test.name:<22} {test.title}")


def print_reproduction(study: str | None, as_json: bool) -> int:
    """The targets with what was got; the exit code is 1 if one was missed."""
    from dovetail.studies.reproduction import reproduce

    if as_json:
        results = list(reproduce(study))
        print(json.dumps([result.record() for result in results], indent=2, ensure_ascii=False))
        return int(any(result.status == "missed" for result in results))
    console = Console()
    table = Table("id", "what", "expected", "got", "tolerance", "kind", "status")
    counts: dict[str, int] = {}
    with console.status("computing targets") as status:
        for result in reproduce(study):
            row = result.record()
            status.update(f"computing targets: {row['id']}")
            cells = [str(row[key]) for key in ("id", "what")] + [_short(row[k]) for k in ("expected", "got")]
            table.add_row(*cells, row["tolerance"], row["kind"], row["status"])
            counts[result.status] = counts.get(result.status, 0) + 1
    console.print(table)
    console.print(", ".join(f"{number} {word}" for word, number in sorted(counts.items())) or "no targets")
    return int("missed" in counts)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_short(v) for v in value)
    return "" if value is None else str(value)


def print_capabilities(study: str | None, as_json: bool) -> None:
    """The capability rows, and how many of them work."""
    from dovetail.studies.capabilities import capabilities

    rows = [capability.record() for capability in capabilities(study)]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        mark = "works" if row["works"] else "-"
        print(f"{row['id']:<8} {'core' if row['core'] else '':<5} {mark:<6} {row['text']}")
    working = sum(row["works"] for row in rows)
    print(f"{working} of {len(rows)} work")


def print_citations(test: str) -> None:
    """The literature behind a test."""
    from dovetail import testing
    from dovetail.studies.citation import cite
    from dovetail.studies.registry import find_test

    path = find_test(test)
    print(cite(testing.load(path), path))
