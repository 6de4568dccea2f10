"""Every source cited in the code is in the bibliography."""

import re
from pathlib import Path

from dovetail.studies.citation import bibliography

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
# "[Wallace 2006, sec. 3.2.2]", "[Hairer, Norsett & Wanner 1993, table II.1.2]"; several at ";"
CITED = re.compile(r"\[((?:[A-Z][\w'’-]+(?:, | & | and | et al\.? )?)+ (?:19|20)\d\d)[^\]]*\]")


def citations() -> list[tuple[str, str]]:
    """(first author, year) of every citation."""
    found = set()
    for file in SOURCE.rglob("*.py"):
        text = re.sub(r"\s*\n\s*#?\s*", " ", file.read_text("utf-8"))
        for match in CITED.finditer(text):
            for one in match[0].strip("[]").split(";"):
                named = re.match(r"\s*([A-Z][\w'’-]+).*?((?:19|20)\d\d)", one)
                if named:
                    found.add((named[1], named[2]))
    return sorted(found)


def test_some_citations_are_found():
    assert ("Wallace", "2006") in citations()


def test_every_cited_source_is_in_the_bibliography():
    entries = list(bibliography().values())
    missing = [
        f"[{author} ... {year}]"
        for author, year in citations()
        if not any(
            re.search(rf"year\s*=\s*\{{{year}\}}", text) and re.search(rf"author\s*=\s*\{{{author}", text)
            for text in entries
        )
    ]
    assert not missing, ", ".join(missing)
