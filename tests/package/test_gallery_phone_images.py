"""Figures of the gallery are readable on every screen."""

import ast
import itertools
import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from PIL import Image

from dovetail.report.style import LETTERS, RC

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("*/[0-9]*.py"))
SMALLEST = 10.0  # [pt] of the letters in a figure


@pytest.fixture
def scraped(tmp_path, monkeypatch):
    """What is saved of the figures that are open, and what the gallery's page is told."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    scraper = runpy.run_path(str(DOCS / "_ext" / "phone_scraper.py"))

    def scrape():
        paths = (str(tmp_path / f"figure_{n:03d}.png") for n in itertools.count(1))
        told = scraper["phone_scraper"](None, {"image_path_iterator": paths}, {"src_dir": tmp_path})
        assert not plt.get_fignums()
        return scraper, told

    plt.close("all")  # what others left open is not ours
    with plt.rc_context({**RC, "figure.facecolor": "white"}):
        yield scrape
    plt.close("all")


def four_panels():
    """As wide as a figure of the gallery may be, with words that a phone has no room for in one line."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 5), layout="constrained")
    for ax, name in zip(axes.flat, "abcd", strict=True):
        ax.plot([0, 1], [0, 1], label=f"signal {name}, as it was measured")
        ax.set(xlabel="time from the first touch of probe and drogue [ms]", ylabel="force [N]")
        ax.set_title(f"panel {name}", loc="left")
        ax.legend(ncols=2)
    return figure


def letters(browser, folder, scraper, path, width):
    """Height [px] of letters of `SMALLEST` in a page on a screen of that width, and which file it shows."""
    files = [path, scraper["narrow_of"](path)]
    shown = [(file.name, scraper["size"](file)) for file in files if file.exists()]
    style = (DOCS / "_static" / "dovetail.css").read_text("utf-8")
    frame = "max-width: 46em; margin: 0 auto; padding: 0 1em"  # as the theme has it
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><style>body {{ margin: 0; }}\n{style}</style><article style="{frame}">'
        f"{scraper['element'](shown, 'four panels')}</article>",
        "utf-8",
    )
    tab = browser.new_page(viewport={"width": width, "height": 800})
    tab.goto(page.as_uri())
    tab.wait_for_function("document.images[0].complete && document.images[0].naturalWidth")
    name, wide, aside = tab.evaluate(
        "(() => { const i = document.images[0], s = getComputedStyle(i); return [i.currentSrc.split('/').pop(),"
        " i.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight),"
        " document.documentElement.scrollWidth - innerWidth]; })()"
    )
    tab.close()
    assert aside <= 0  # nothing is wider than the screen
    with Image.open(folder / name) as image:
        inches = image.width / (scraper["FINE"] * scraper["INCH"])
    return SMALLEST / 72 * wide / inches, name


@pytest.mark.parametrize(
    ("width", "name"),
    [(1400, "figure_001.webp"), (1000, "figure_001.webp"), (420, "figure_001-narrow.webp")],
)
def test_letters_of_a_figure_are_eleven_pixels_tall_on_every_screen(width, name, scraped, browsers, tmp_path):
    four_panels()
    scraper, told = scraped()
    assert ".. picture:: /figure_001.webp\n   :alt: panel a; panel b; panel c; panel d\n" in told
    tall, shown = letters(browsers(), tmp_path, scraper, tmp_path / "figure_001.webp", width)
    assert shown == name
    assert tall >= LETTERS


def test_a_thumbnail_is_made_of_one_panel(scraped, tmp_path):
    figure = four_panels()
    scraped()
    assert len(figure.axes) == 1
    assert figure.axes[0].get_legend() is None
    with Image.open(tmp_path / "figure_001.png") as image:
        assert image.size == (400, 280)


def test_a_figure_that_fits_a_phone_is_saved_once(scraped, tmp_path):
    _, ax = plt.subplots(figsize=(4, 3), layout="constrained")
    ax.plot([0, 1])
    scraped()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["figure_001.png", "figure_001.webp"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_figures_fit_the_page_and_its_letter_size(example):
    """Nine inches have letters of eleven pixels in the text's width, which is 46 em."""
    code = example.read_text("utf-8")
    widths = [float(width) for width in re.findall(r"figsize=\(([\d.]+)", code)]
    assert all(width <= 9.0 for width in widths)
    for call in ast.walk(ast.parse(code)):
        for word in getattr(call, "keywords", ()):
            if word.arg in ("fontsize", "labelsize"):
                assert isinstance(word.value, ast.Constant), word.arg
                assert float(word.value.value) >= SMALLEST
