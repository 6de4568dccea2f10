import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import pytest

from dovetail.report import style
from dovetail.report.style import COLOURS, RC, WIDTH, figure_style, legend_columns, new_figure, svg, symbol


def drawn(label="a line", **style):
    figure, axes = new_figure()
    axes[0, 0].plot([0, 1], [0, 1], color=COLOURS["demand"], label=label, **style)
    axes[0, 0].legend()
    return figure


def test_a_figure_is_well_formed_and_has_no_fixed_size():
    text = svg(drawn(), "A line that rises")
    root = ET.fromstring(text.replace("xlink:", ""))
    assert root.tag == "svg"
    assert "width" not in root.attrib
    assert root.attrib["aria-label"] == "A line that rises"


def test_names_with_markup_and_formulas_stay_text():
    text = svg(drawn("<script>alert(1)</script> $x^2$ & more"), 'a "quoted" <b>caption</b>')
    assert "<script" not in text
    assert "<b>" not in text
    assert "$x^2$" in text  # not parsed as a formula
    ET.fromstring(text.replace("xlink:", ""))


def test_colours_are_variables_of_the_page():
    text = svg(drawn())
    assert "var(--demand)" in text
    assert not any(colour in text for colour in COLOURS.values())


def test_a_name_that_looks_like_a_colour_stays_a_name():
    assert f">{COLOURS['demand']}<" in svg(drawn(COLOURS["demand"])).replace(" ", "")


def test_ids_of_two_figures_differ_and_references_are_kept():
    first, second = svg(drawn()), svg(drawn())
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, known in zip((first, second), ids, strict=True):
        used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text))
        assert used <= known


def test_a_figure_fetches_nothing():
    assert not re.search(r"https?://", svg(drawn()))


def test_as_many_names_stand_beside_each_other_as_have_room():
    assert legend_columns(["x", "y", "z"]) == 6
    assert legend_columns(["work of the outer forces", "kinetic energy"]) == 2
    assert (
        legend_columns(["a name that is as long as a sentence and then goes on for longer than a line"]) == 1
    )


def test_text_is_ten_points_at_page_width():
    assert RC["font.size"] >= 10
    assert WIDTH <= 7.2  # [in], about what A4 leaves between margins of 15 mm


def test_style_does_not_leak():
    before = dict(mpl.rcParams)
    with figure_style():
        new_figure()
    assert dict(mpl.rcParams) == before


def test_figures_are_not_kept_by_matplotlib():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    new_figure()
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("text", "shown"), [("z", "z"), ("z_p", "zₚ"), ("e_2", "e₂"), ("tau", "τ"), ("F_Q", "F_Q")]
)
def test_symbols_are_shown_as_written(text, shown):
    assert symbol(text) == shown


def test_numbers_that_change_with_the_room_they_leave_are_given_enough_of_it():
    figure, ((ax,),) = new_figure(height=2.2)
    with figure_style():
        ax.plot([0, 0.01, 0.02], [0, 0.11944, 0.11944])
        ax.set(xlabel="time [s]", ylabel="energy added [J]")
    locator = ax.yaxis.get_major_locator()
    svg(figure)
    assert ax.yaxis.get_major_locator() is locator
    figure.dpi = 72
    assert ax.yaxis.label.get_window_extent().x0 >= 0


def test_no_figure_of_a_report_asks_for_letters_smaller_than_the_house_has():
    """Smaller ones could not be read on a phone, or would make the whole figure narrower."""
    for file in Path(style.__file__).parent.glob("*.py"):
        sizes = re.findall(r"(?:fontsize|labelsize)=([0-9.]+|\"[a-z-]+\")", file.read_text("utf-8"))
        assert all(size[0] != '"' and float(size) >= RC["font.size"] for size in sizes), file.name
