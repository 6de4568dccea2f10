"""What Dovetail has: studies and tests, reproduction targets, capabilities, literature."""

from __future__ import annotations

import json

from rich.console import Console


def print_studies() -> None:
    """Studies, their tests and their campaigns, one line each."""
    from dovetail.studies.registry import studies

    for study in studies().values():
        print(f"{study.name:<24} {study.title}: {study.about}")
        for test in study.tests:
            print(f"  {test.name:<22} {test.title}")
        for campaign in study.campaigns:
            print(f"  {campaign.name:<22} campaign: {campaign.title}")


def print_reproduction(study: str | None, as_json: bool) -> int:
    """The targets with what was got; the exit code is 1 if one was missed."""
    from dovetail.studies.reproduction import judge, reproduce, targets
    from dovetail.studies.tally import as_text, tally

    if as_json:
        results = list(reproduce(study))
        print(json.dumps([result.record() for result in results], indent=2, ensure_ascii=False))
        return int(any(result.status == "missed" for result in results))
    judged = []
    progress = Console(stderr=True)
    with progress.status("computing targets") as status:
        for target in targets(study):
            status.update(f"computing {target.study} {target.id}: {target.what}")
            result = judge(target)
            row = result.record()
            mark = "MISSED" if row["status"] == "missed" else row["status"]
            print(
                f"{row['study']} {row['id']:<6} {mark:<7} {row['origin']:<7} {row['kind']:<12} {row['what']}"
            )
            print(
                f"{'':<8}expected {_short(row['expected'])}; got {_short(row['got'])}; {row['tolerance']}",
                flush=True,
            )
            judged.append((target, result.status))
    print(f"\nmet, by the origin of the expected value and what agreement is worth\n{as_text(tally(judged))}")
    return int(any(status == "missed" for _, status in judged))


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, list):
        return ", ".join(_short(v) for v in value)
    return "-" if value is None else str(value)


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
