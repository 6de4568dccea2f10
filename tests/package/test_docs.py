"""The Python code of a documentation page runs from top to bottom."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import matplotlib
import pytest
from PIL import Image

from dovetail.studies import studies

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S)  # and what they print
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if "_build" not in page.parts
    and page.stem != "earthquake-tutorial"  # with its files and commands: test_earthquake_tutorial.py
    and BLOCKS.search(page.read_text("utf-8"))
)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names = {"__name__": "page"}
    for code, shown in BLOCKS.findall(page.read_text("utf-8")):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, page.name, "exec"), names)
        if shown:  # below the code: what it prints, up to where the page leaves off
            assert printed.getvalue().startswith(shown.removesuffix("…\n"))


def test_there_are_pages_to_run():
    assert {"start-here", "choose-a-mode", "write-a-part", "write-a-report-section"} <= {
        page.stem for page in PAGES
    }


def test_every_page_that_is_named_exists():
    """In a link or in a table of contents; the gallery is made by the build."""
    names = re.compile(r"\{doc\}`(?:[^`<]*<)?([^`>]+?)>?`|(?<=\n)([\w./-]+)(?=\n)", re.S)
    missing = []
    for page in DOCS.rglob("*.md"):
        text = page.read_text("utf-8")
        contents = "\n".join(re.findall(r"```\{toctree\}\n.*?```", text, re.S))
        links = [name for name, _ in names.findall(text) if name]
        links += [name for _, name in names.findall(contents) if name]
        for link in links:
            target = (DOCS / link.lstrip("/") if link.startswith("/") else page.parent / link).with_suffix(
                ".md"
            )
            if "gallery" not in target.parts and "_build" not in page.parts and not target.is_file():
                missing.append(f"{page.relative_to(DOCS)}: {link}")
    assert not missing, "\n".join(missing)


def test_every_extension_of_the_site_can_be_imported():
    text = (DOCS / "conf.py").read_text("utf-8")
    (listed,) = re.findall(r"^extensions = \[(.*?)\]", text, re.M | re.S)
    own = [
        name for name in re.findall(r'"(\w+)"', listed) if name != "myst_parser" and name != "sphinx_design"
    ]
    assert own
    assert all((DOCS / "_ext" / f"{name}.py").is_file() for name in own), own


def test_every_package_is_in_the_api():
    source = DOCS.parent / "src" / "dovetail"
    rooms = {path.parent.name for path in source.glob("*/__init__.py")} - {
        "cli",
        "studio",
    }  # a command line and pages: not interfaces
    listed = set(re.findall(r"^   dovetail\.(\w+)$", (DOCS / "api" / "index.md").read_text("utf-8"), re.M))
    assert listed == rooms


def test_every_study_has_a_moving_picture_that_is_small_and_plays():
    """On the first page and in its chapter; `make clips` makes it."""
    first = (DOCS / "index.md").read_text("utf-8")
    for study in studies():
        clip = DOCS / "_static" / "clips" / f"{study}.webp"
        assert clip.stat().st_size < 600_000, study
        with Image.open(clip) as film:
            frames, length = film.n_frames, sum(_durations(film))
        assert frames >= 24, study
        assert 6.0 <= length <= 10.0, f"{study}: {length} s"
        assert f"clips/{study}.webp" in first
        assert f"clips/{study}.webp" in (DOCS / "studies" / f"{study}.md").read_text("utf-8")


def _durations(film):
    for number in range(film.n_frames):
        film.seek(number)
        film.load()  # how long a frame stands is known once it is decoded
        yield film.info["duration"] / 1000


def test_versions_of_the_site_are_listed_newest_first(tmp_path):
    for name in ("0.9.0", "0.10.0", "_static"):
        (tmp_path / name).mkdir()
    site = runpy.run_path(str(DOCS / "versions.py"))
    site["main"](tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "url=0.10.0/index.html" in page
    assert re.findall(r'href="([^"]+)"', page) == ["0.10.0/index.html", "0.9.0/index.html"]
