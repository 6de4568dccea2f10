"""The paper cites what is in the bibliography and counts what was reproduced."""

import re
from pathlib import Path

from dovetail.studies.citation import bibliography

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "paper" / "paper.typ").read_text("utf-8")


def test_every_citation_has_its_entry():
    cited = set(re.findall(r"(?<![\w\"])@(\w+)", TEXT))
    assert cited
    assert cited <= set(bibliography())


def test_every_study_is_counted():
    reproduced = {file.stem for file in (ROOT / "docs" / "target_results").glob("*.json")}
    assert reproduced == set(re.findall(r'"(\w+)"', re.search(r"#let studies = \((.*?)\)", TEXT)[1]))
