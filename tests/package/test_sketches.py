"""Every page of theory has its sketch, and the sketches are those that the script draws."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(page.stem for page in (DOCS / "theory").glob("*.md") if page.stem != "index")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_theory_has_its_sketch(page):
    assert f":file: sketches/{page}.html" in (DOCS / "theory" / f"{page}.md").read_text("utf-8")


def test_sketches_are_those_of_the_script_and_have_the_colour_of_the_text(tmp_path):
    runpy.run_path(str(DOCS / "sketches.py"))["main"](tmp_path)
    drawn = {file.name: file.read_text("utf-8") for file in tmp_path.iterdir()}
    kept = {file.name: file.read_text("utf-8") for file in (DOCS / "theory" / "sketches").iterdir()}
    assert sorted(kept) == [f"{page}.html" for page in PAGES]
    assert drawn == kept
    for text in kept.values():
        assert "currentColor" in text
        assert "black" not in text
