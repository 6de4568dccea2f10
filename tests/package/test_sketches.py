"""Every theory page has its sketch, and the sketches are those of the script."""

import re
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


def test_letters_and_indices_are_eleven_pixels_tall_on_a_wide_screen():
    style = (DOCS / "_static" / "dovetail.css").read_text("utf-8")
    (widest,) = re.findall(r"div\.sketch svg \{.*max-width: (\d+)px;", style)
    for file in sorted((DOCS / "theory" / "sketches").iterdir()):
        text = file.read_text("utf-8")
        wide = float(re.search(r'viewBox="0 0 (\d+)', text)[1])
        for size in re.findall(r'font-size="([\d.]+)"', text):
            assert float(size) * float(widest) / wide >= 11.0, file.name


def test_sketches_on_a_phone_have_11_pixel_letters_and_fit():
    style = (DOCS / "_static" / "dovetail.css").read_text("utf-8")
    ((letters, indices),) = re.findall(
        r"@media \(max-width: 36em\) .*div\.sketch svg text \{ font-size: ([\d.]+)px; \}"
        r" div\.sketch svg tspan\[font-size\] \{ font-size: ([\d.]+)px; \}",
        style,
    )
    for file in sorted((DOCS / "theory" / "sketches").iterdir()):
        text = file.read_text("utf-8")
        wide = float(re.search(r'viewBox="0 0 (\d+)', text)[1])
        assert float(letters) * (420 - 48) / wide >= 11.0, file.name
        assert float(indices) * (420 - 48) / wide >= 11.0, file.name
        for x, anchor, words in re.findall(
            r'<text x="(-?[\d.]+)".*?text-anchor="(\w+)".*?>(.*?)</text>', text
        ):
            long = 0.5 * float(letters) * len(re.sub(r"<[^>]*>|&#?\w+;", "", words))
            left = float(x) - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * long
            assert left >= -1.0, f"{file.name}: {words}"
            assert left + long <= wide + 1.0, f"{file.name}: {words}"
