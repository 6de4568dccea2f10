"""Commands `dovetail list`, `capabilities` and `cite`."""

from __future__ import annotations

import json


def print_studies() -> None:
    """Print studies with their tests and campaigns, one line each."""
    from dovetail.studies.registry import studies

    for study in studies().values():
        print(f"{study.name:<24} {study.title}: {study.about}")
        for test in study.tests:
            print(f"  {test.name:<22} {test.title}")
        for campaign in study.campaigns:
            print(f"  {campaign.name:<22} campaign: {campaign.title}")


def print_capabilities(study: str | None, as_json: bool) -> None:
    """Print the required capabilities and the number of those that work."""
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
    """Print the references of a test as BibTeX."""
    from dovetail import testing
    from dovetail.studies.citation import cite
    from dovetail.studies.registry import find_test

    path = find_test(test)
    print(cite(testing.load(path), path))
