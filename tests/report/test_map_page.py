import re
from pathlib import Path

import numpy as np
import xarray as xr

from dovetail.core.parameter_map import ParameterMap
from dovetail.report import map_page
from dovetail.report.style import COLOURS, SHADES

PAGE = Path(map_page.__file__).with_name("page.css")

LINES = xr.Dataset(
    {"force": (("law", "speed"), np.arange(6.0).reshape(2, 3) * 1e3, {"units": "N"})},
    {
        "law": ["a", "b"],
        "speed": ("speed", [0.01, 0.02, 0.03], {"units": "m/s", "long_name": "impact speed"}),
    },
)
RATIO = xr.Dataset(
    {"ratio": (("restitution", "delay"), np.array([[0.5, 0.9], [1.1, 40.0]]), {"units": "1"})},
    {"restitution": [0.8, 1.0], "delay": ("delay", [1e-3, 2e-3], {"units": "s"})},
)
MAP = xr.Dataset(
    {
        "ending": (("height", "pitch"), [[0, 1], [2, 1]], {"words": ["going", "well", "not well"]}),
        "impacts": (("height", "pitch"), [[20, 1], [8, 2]]),
    },
    {
        "height": ("height", [0.0, 0.1], {"units": "mm", "long_name": "height"}),
        "pitch": ("pitch", [0.0, 0.1], {"units": "deg", "long_name": "pitch of the one that comes"}),
    },
)


class Lines(ParameterMap):
    def compute(self):
        return LINES

    def summary(self, data):
        return "as it is <b>"


def texts(figure):
    return {text.get_text() for axes in figure.axes for text in axes.texts}


def test_a_line_for_each_law_in_readable_units():
    (picture,) = map_page.draw(Lines(), LINES)
    (axes,) = picture.figure.axes
    assert len(axes.lines) == 2
    assert axes.get_xlabel() == "impact speed [mm/s]"
    assert axes.get_ylabel() == "force [kN]"
    np.testing.assert_allclose(axes.lines[1].get_ydata(), [3, 4, 5])
    assert [t.get_text() for t in picture.figure.legends[0].texts] == ["a", "b"]


def test_text_values_are_points_with_labels():
    figure = map_page.lines(LINES.force, "law")
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["a", "b"]


def test_a_map_shows_every_value_and_the_line_of_one():
    figure = map_page.draw_colour_map(RATIO.ratio)
    assert texts(figure) == {"0.5", "0.9", "1.1", "40"}
    assert any(type(c).__name__.endswith("ContourSet") for c in figure.axes[0].collections)


def test_outcomes_are_marked_with_their_impacts():
    figure = map_page.outcomes(MAP)
    assert texts(figure) == {"?\n20", "o\n1", "·\n8", "o\n2"}
    assert figure.axes[0].get_xlabel() == "pitch of the one that comes [deg]"
    assert [text.get_text() for text in figure.legends[0].texts] == ["going", "well", "not well"]


def test_bars_are_drawn_side_by_side():
    data = xr.Dataset(
        {f"force_{k}": ("impact", [1.0 + i, 2.0]) for i, k in enumerate("dmh")}, {"impact": [1, 2]}
    )
    assert len(map_page.bars(data, "force").axes[0].patches) == 6


def test_the_page_has_figure_text_and_file(tmp_path):
    class File:
        map, title = Lines(), "A map"

    import dovetail.testing as testing

    held, testing.dump = testing.dump, lambda file: {"title": "A map"}
    try:
        page = map_page.write_map(File(), LINES, tmp_path / "report.html").read_text("utf-8")
    finally:
        testing.dump = held
    assert "as it is &lt;b&gt;" in page
    assert "<svg" in page


def test_lines_are_distinguishable_in_dark_mode():
    """There the colours of figures are others: none of those may be one of ours that stays."""
    dark = re.search(r"prefers-color-scheme: dark.*?\}", PAGE.read_text("utf-8"), re.DOTALL)[0]
    themed = dict(re.findall(r"--(\w+): (#\w{6})", dark))
    shown = [next((themed[n] for n, c in COLOURS.items() if c == shade), shade) for shade in SHADES]
    assert len(set(shown)) == len(shown)
    assert all(max(int(c[i : i + 2], 16) for i in (1, 3, 5)) > 0x70 for c in shown)  # seen on almost black
    many = map_page._shades(len(SHADES) + 1)
    assert max(many[0][:3]) > 0x70 / 0xFF


def test_a_map_states_its_number_of_points():
    assert map_page._size(RATIO) == "4 points, 2 of restitution by 2 of delay"
    assert map_page._size(LINES.rename(law="contact_law")) == "6 points, 2 of contact law by 3 of speed"
    assert map_page._size(xr.Dataset()) == "1 point"
