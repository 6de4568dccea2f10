"""What the documentation shows works: the Python of a page runs from top to bottom."""

import re
from pathlib import Path

import matplotlib
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCKS = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if "_build" not in page.parts
    and page.stem != "own-structure"  # with its files and commands: test_own_structure.py
    and BLOCKS.search(page.read_text("utf-8"))
)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    code = "\n".join(BLOCKS.findall(page.read_text("utf-8")))
    exec(compile(code, page.name, "exec"), {"__name__": "page"})


def test_there_are_pages_to_run():
    assert {"start-here", "choose-a-mode", "write-a-part"} <= {page.stem for page in PAGES}


def test_every_package_is_in_the_api():
    source = DOCS.parent / "src" / "dovetail"
    rooms = {path.parent.name for path in source.glob("*/__init__.py")} - {
        "cli"
    }  # a command line, not an interface
    listed = set(re.findall(r"^   dovetail\.(\w+)$", (DOCS / "api" / "index.md").read_text("utf-8"), re.M))
    assert listed == rooms
