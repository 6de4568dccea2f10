import re
from html.parser import HTMLParser

import pytest

from dovetail.core.errors import OutputError
from dovetail.report import (
    Collapsible,
    Drawing,
    FigureBlock,
    Page,
    PageSection,
    PageTable,
    Paragraph,
    SideBySide,
    TableCell,
    Verdict,
)
from dovetail.report.html import render, write_page
from dovetail.report.style import new_figure

VOID = {"meta", "br", "link", "img", "input", "hr"}
NASTY = """<script>alert(1)</script><img src=x onerror=alert(1)>"'&</style></title>"""


class Checker(HTMLParser):
    """Nesting, ids, and everything that could fetch or run."""

    def __init__(self):
        super().__init__()
        self.stack, self.faults, self.ids, self.tags, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "data", "action") and not (value or "").startswith("#"):
                self.faults.append(f"{tag} {name}={value}")
            if name.startswith("on"):
                self.faults.append(f"{tag} {name}")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> does not close what is open")

    def handle_data(self, data):
        self.text.append(data)


def checked(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.faults == []
    assert checker.stack == []
    assert len(set(checker.ids)) == len(checker.ids)
    assert not {"script", "iframe", "object", "embed", "link", "img", "base", "form"} & set(checker.tags)
    return checker


def picture(label="line"):
    figure, axes = new_figure()
    axes[0, 0].plot([0, 1], [1, 0], label=label)
    axes[0, 0].set_title(label)
    axes[0, 0].legend()
    return FigureBlock(figure, f"caption of {label}")


def full_page(text="plain"):
    blocks = [
        Paragraph(text),
        Paragraph(text, "caution"),
        PageTable([text, "b"], [[text, 1.23456], [TableCell(text, "bad"), "2"]], caption=text, numbers=(1,)),
        picture(text),
        SideBySide(picture(text), picture(text)),
        Drawing('<svg class="loop" viewBox="0 0 1 1"></svg>', text),
        Collapsible(text, text),
        PageSection(text, [Paragraph(text)]),
    ]
    return Page(
        text, Verdict(f"Stable: {text}", "good"), [PageSection(f"{text} {i}", blocks) for i in range(3)], text
    )


@pytest.fixture(scope="module")
def html():
    return render(full_page())


def test_every_kind_of_block_gives_a_well_formed_page(html):
    checker = checked(html)
    assert {"h1", "h2", "h3", "table", "svg", "details", "nav"} <= set(checker.tags)


def test_markup_in_any_text_appears_as_typed():
    html = render(full_page(NASTY))
    checker = checked(html)
    assert checker.tags.count("title") == 1
    assert NASTY in "".join(checker.text)
    assert "<script" not in html.lower()


def test_the_page_loads_nothing_from_the_network(html):
    assert not re.search(r"https?://", html)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_the_page_forbids_scripts_and_fetching(html):
    assert "default-src 'none'" in html


def test_the_contents_lead_to_sections(html):
    targets = re.findall(r'<a href="#(s\d+)"', html)
    assert len(targets) == 3
    assert all(f'id="{target}"' in html for target in targets)


@pytest.fixture(scope="module")
def phone(browsers):
    """Lay a page out on a screen of 420 px."""
    context = browsers().new_context(viewport={"width": 420, "height": 900})

    def lay(page):
        tab = context.new_page()
        tab.set_content(render(page))
        return tab

    yield lay
    context.close()


BEYOND = """name => [...document.querySelectorAll(name)].filter(
  element => element.getBoundingClientRect().right > innerWidth).length"""


def test_on_a_phone_text_fits_and_wide_blocks_have_a_shaded_edge(phone):
    about = "how far the simulated part is from where it should be, in a sentence that is long"
    table = PageTable(
        ["error", "rms", "what it is"], [["e1", "5 %", about]], about, numbers=(1,), has_explanations=True
    )
    wide = PageTable([f"column {i}" for i in range(12)], [["1.234 mm"] * 12], about, numbers=range(12))
    tab = phone(Page("t", Verdict("v"), [table, wide, picture()]))
    assert tab.evaluate("document.documentElement.scrollWidth") == 420
    assert tab.evaluate(BEYOND, "caption") == tab.evaluate(BEYOND, ".explained td") == 0
    assert tab.evaluate("document.querySelector('.explained caption').getBoundingClientRect().width") > 300
    assert tab.evaluate(BEYOND, "table:not(.explained) td") > 0
    scrolled = "[...document.querySelectorAll('.scroll, figure')].filter(e => e.scrollWidth > e.clientWidth)"
    assert tab.evaluate(f"{scrolled}.length") == 1  # the wide table; the plot is one for a phone
    assert tab.evaluate(f"{scrolled}.every(e => getComputedStyle(e).backgroundImage.includes('gradient'))")


def test_the_first_words_of_a_verdict_are_bold():
    assert '<span class="mark">Stable:</span> fine' in render(Page("t", Verdict("Stable: fine")))


def test_numbers_have_four_digits_and_are_right_aligned(html):
    assert '<td class="number">1.235</td>' in html


def test_an_object_that_is_not_a_block_is_rejected():
    with pytest.raises(TypeError, match="not a block of a page: int"):
        render(Page("t", Verdict("v"), [1]))


def test_a_page_is_written_completely(tmp_path):
    page = Page("A test", Verdict("Stable: it works."), [PageSection("Outcome", [Paragraph("It ended.")])])
    path = write_page(page, tmp_path / "report.html")
    assert path.read_text("utf-8") == render(page)
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written is left


def test_an_unwritable_path_is_reported(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere.*cannot be written \(no such file or directory\)"):
        write_page(Page("A test", Verdict("Fine.")), tmp_path / "nowhere" / "report.html")
