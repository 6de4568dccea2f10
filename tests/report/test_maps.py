"""Figures of a campaign."""

from contextlib import nullcontext

import numpy as np

from dovetail.report.maps import POINTS, _smooth, _spans_decades, bars, curve, curves, edges, field, scatter
from dovetail.report.phone_layout import phone_layout
from dovetail.report.style import POINTS as POINTS_PER_INCH
from dovetail.report.style import svg


def test_the_strongest_is_on_top():
    figure = bars([("delay", 0.8), ("mass", 0.1), ("rate", 1e-9)])
    ax = figure.axes[0]
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["delay", "mass", "rate"]
    assert [text.get_text() for text in ax.texts] == ["0.8", "0.1", "about 0"]
    assert ax.patches[0].get_y() > ax.patches[1].get_y()


def test_a_map_shows_each_value_in_its_field():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0])
    values = np.arange(6.0).reshape(2, 3)
    figure = field(x, y, values, "x", "y", "z")
    np.testing.assert_array_equal(figure.axes[0].collections[0].get_array(), values)
    assert figure.axes[1].get_ylabel() == "z"


def test_contour_lines_are_drawn_if_they_are_few():
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0))
    assert _smooth(x + y)
    assert not _smooth(np.where((x + y) % 2 > 0, 1.0, 0.0))
    assert not _smooth(np.full((5, 5), np.nan))


def testedges_lie_between_the_centres():
    assert edges(np.array([0.0, 1.0, 3.0])).tolist() == [-0.5, 0.5, 2.0, 4.0]
    np.testing.assert_allclose(edges(np.array([1.0, 10.0, 100.0])), 10.0 ** np.array([-0.5, 0.5, 1.5, 2.5]))


def test_values_over_decades_have_a_logarithmic_scale():
    assert _spans_decades(np.array([1e-3, 1e-2, 1e-1]))
    assert not _spans_decades(np.array([1.0, 2.0, 3.0]))
    assert not _spans_decades(np.array([0.0, 1.0, 100.0]))


def test_numbers_of_decades_are_numbers():
    """Text is text in these figures: a formula of a power would be seen as its source."""
    x, words = np.array([0.1, 1.0, 10.0, 100.0]), np.repeat("a", 4)
    figures = [
        curve(x, x, "x", "y"),
        curves(x, x, words, "x", "y"),
        field(x, x, np.outer(x, x), "x", "y", "z"),
    ]
    for figure in figures:
        text = svg(figure)
        assert "mathdefault" not in text
        assert ">100<" in text
        assert figure.axes[0].get_xscale() == "log"
    assert figures[2].axes[0].get_yscale() == "log"


def test_a_measure_over_one_axis_has_the_line_of_its_means():
    figure = curve(np.array([1.0, 1.0, 2.0]), np.array([1.0, 3.0, np.nan]), "x", "y")
    line = figure.axes[0].lines[1]
    assert line.get_ydata().tolist() == [2.0]


def test_many_points_are_thinned():
    n = 3 * POINTS
    figure = scatter(np.arange(n), np.arange(n), np.arange(n), "x", "y", "z")
    assert len(figure.axes[0].collections[0].get_offsets()) == POINTS


def test_a_line_for_each_word():
    x, words = np.tile([1.0, 2.0, 3.0], 2), np.repeat(["thin", "thick"], 3)
    ax = curves(x, np.arange(6.0), words, "length [m]", "mass [kg]").axes[0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["thin", "thick"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [3, 4, 5])


def test_a_long_name_beside_a_panel_is_not_cut():
    for narrow in (False, True):
        figure = curve(np.arange(3.0), np.arange(3.0), "delay [ms]", "peak displacement rehearse [mm]")
        with phone_layout(figure) if narrow else nullcontext():
            figure.draw_without_rendering()
            box = figure.axes[0].yaxis.label.get_window_extent()
            assert figure.bbox.y0 <= box.y0
            assert box.y1 <= figure.bbox.y1


def test_contour_labels_do_not_overlap_and_have_contrast():
    x, y = np.linspace(0.0, 5.0, 9), np.linspace(0.0, 17.0, 6)
    across, up = np.meshgrid(x, y)
    for values in (120 * np.exp(-3 * across) + up, across**2 + up, 1e-5 * np.hypot(across - 2.5, up / 3)):
        figure = field(x, y, values, "x", "y", "z")
        figure.dpi = POINTS_PER_INCH  # as it is drawn, so that what is measured is what was drawn
        written = figure.axes[0].texts
        assert 2 <= len(written) <= 6
        for text in written:
            ground = text.get_bbox_patch().get_facecolor()
            assert max(ground[:3]) < 0.15
            assert ground[3] == 1.0
            assert text.get_color() == "white"
        for frame in (nullcontext(), phone_layout(figure)):
            with frame:
                svg(figure)
                boxes = [text.get_bbox_patch().get_window_extent() for text in written if text.get_visible()]
                assert len(boxes) == len(written)
                for i, box in enumerate(boxes):
                    assert not any(box.overlaps(other) for other in boxes[:i])
                    inside = figure.axes[0].get_window_extent()
                    assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
                    assert inside.y0 <= box.y0 <= box.y1 <= inside.y1
