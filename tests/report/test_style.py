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


def test_markup_and_formulas_in_names_are_escaped():
    text = svg(drawn("<script>alert(1)</script> $x^2$ & more"), 'a "quoted" <b>caption</b>')
    assert "<script" not in text
    assert "<b>" not in text
    assert "$x^2$" in text  # not parsed as a formula
    ET.fromstring(text.replace("xlink:", ""))


def test_colours_are_variables_of_the_page():
    text = svg(drawn())
    assert "var(--demand)" in text
    assert not any(colour in text for colour in COLOURS.values())


def test_a_name_that_looks_like_a_colour_remains_a_name():
    assert f">{COLOURS['demand']}<" in svg(drawn(COLOURS["demand"])).replace(" ", "")


def test_ids_of_two_figures_differ_with_valid_references():
    first, second = svg(drawn()), svg(drawn())
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, known in zip((first, second), ids, strict=True):
        used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text))
        assert used <= known


def test_a_figure_loads_nothing_from_the_network():
    assert not re.search(r"https?://", svg(drawn()))


def test_a_legend_has_as_many_columns_as_fit():
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


def test_figures_are_freed_by_matplotlib():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    new_figure()
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("text", "shown"), [("z", "z"), ("z_p", "zₚ"), ("e_2", "e₂"), ("tau", "τ"), ("F_Q", "F_Q")]
)
def test_symbols_are_shown_as_written(text, shown):
    assert symbol(text) == shown


def test_tick_labels_that_depend_on_the_layout_fit():
    figure, ((ax,),) = new_figure(height=2.2)
    with figure_style():
        ax.plot([0, 0.01, 0.02], [0, 0.11944, 0.11944])
        ax.set(xlabel="time [s]", ylabel="energy added [J]")
    locator = ax.yaxis.get_major_locator()
    svg(figure)
    assert ax.yaxis.get_major_locator() is locator
    figure.dpi = 72
    assert ax.yaxis.label.get_window_extent().x0 >= 0


def test_no_report_figure_uses_letters_below_the_minimum_size():
    """Smaller ones could not be read on a phone, or would make the whole figure narrower."""
    for file in Path(style.__file__).parent.glob("*.py"):
        sizes = re.findall(r"(?:fontsize|labelsize)=([0-9.]+|\"[a-z-]+\")", file.read_text("utf-8"))
        assert all(size[0] != '"' and float(size) >= RC["font.size"] for size in sizes), file.name
