"""Figures on a phone."""

import itertools
import re

import numpy as np
import pytest
from matplotlib.legend import Legend

from dovetail.report import FigureBlock, Page, Verdict
from dovetail.report.html import render
from dovetail.report.phone_layout import NARROW, STACKED, phone_layout
from dovetail.report.style import LETTERS, figure_style, new_figure, svg

SCREEN = 420 - 48  # [px] of a phone that a page leaves to its figures


def pairs(rows=2, columns=2):
    """Panels in rows and columns, a legend above them, another beside one, and words in a row."""
    figure, panels = new_figure(rows, columns, height=3.0, sharex="col", sharey="row")
    with figure_style():
        for i, ax in enumerate(panels.flat):
            ax.plot([0, 1], [0, i + 1], label=f"a long name of a signal, {i}")
        panels[0, 0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        for x, word in enumerate(("flight", "touchdown", "secured", "traverse", "secured", "launch")):
            panels[0, 0].annotate(word, (x / 6, 1.02), xycoords="axes fraction")
        figure.legend(loc="outside upper left", ncols=4)
    return figure, panels


def test_the_phone_layout_stacks_panels_in_order_and_restores_them():
    figure, panels = pairs()
    svg(figure)
    before = [ax.get_position().bounds for ax in panels.flat]
    with phone_layout(figure):
        svg(figure)
        boxes = [ax.get_position() for ax in panels.flat]
        assert figure.get_figwidth() == NARROW
        assert all(upper.y0 > lower.y1 for upper, lower in itertools.pairwise(boxes))
        assert all(box.width > 0.7 for box in boxes)  # each has the whole width
    svg(figure)
    # it is laid out from where it was, in few rounds: not to the last digit
    np.testing.assert_allclose([ax.get_position().bounds for ax in panels.flat], before, atol=5e-3)


def test_text_stays_inside_the_figure_without_overlap():
    figure, panels = pairs()
    with phone_layout(figure):
        svg(figure)
        wide = figure.bbox.width
        shown = [legend for legend in figure.legends if legend.get_visible()]
        assert len(shown) == 1
        assert shown[0].get_window_extent().x1 <= wide
        words = [text.get_window_extent() for text in panels[0, 0].texts if text.get_visible()]
        assert 2 <= len(words) < 6
        assert all(a.x1 < b.x0 for a, b in itertools.pairwise(words))
    assert all(text.get_visible() for text in panels[0, 0].texts)
    assert len(figure.legends) == 1


@pytest.mark.parametrize("smallest", [10.0, 8.0])
def test_letters_are_tall_enough_on_a_phone_and_the_figure_fits_it(smallest):
    figure, panels = new_figure(1, 1)
    panels[0, 0].text(0.5, 0.5, "small", fontsize=smallest)
    with phone_layout(figure):
        drawn = svg(figure)
    least = float(re.search(r"--least: (\d+)px", drawn)[1])
    assert least <= SCREEN
    units = float(re.search(r'viewBox="0 0 ([\d.]+)', drawn)[1])
    assert smallest * SCREEN / units >= LETTERS


def test_a_page_has_both_and_shows_one_on_each_screen(browsers):
    figure, _ = pairs()
    page = render(Page("t", Verdict("It ran.", "plain"), [FigureBlock(figure, "caption")]))
    browser = browsers()
    for width, chosen in ((1400, "wide"), (1000, "wide"), (420, "narrow")):
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.set_content(page)
        seen = tab.evaluate(
            "[...document.querySelectorAll('svg.plot')].filter(e => e.getBoundingClientRect().width)"
            ".map(e => e.classList[1])"
        )
        aside = tab.evaluate(
            "[...document.querySelectorAll('figure')].filter(e => e.scrollWidth > e.clientWidth).length"
        )
        tab.close()
        assert seen == [chosen]
        assert aside == 0


def test_for_other_screens_alone_a_figure_is_drawn_once():
    page = Page("p", Verdict("good", "It is."), [FigureBlock(pairs()[0], "four panels")])
    once, twice = render(page, phones=False), render(page)
    assert (once.count("<svg"), twice.count("<svg")) == (1, 2)
    assert 'class="plot narrow"' not in once


def test_a_legend_above_a_panel_is_stacked_and_the_panel_keeps_its_height():
    names = [f"a rope of {n} m of steel" for n in range(7)]
    figure, ((panel,),) = new_figure(height=2.4)
    with figure_style():
        for k in range(7):
            panel.plot([0, 1], [0, k])
        panel.legend(panel.lines, names, ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    svg(figure)
    before = panel.get_position().height * figure.get_figheight()  # [in]
    with phone_layout(figure):
        page = svg(figure)
        box, whole = panel.get_window_extent(), figure.bbox
        words = [text.get_window_extent() for text in figure.legends[0].get_texts()]
        assert panel.get_position().height * figure.get_figheight() > 0.8 * before
        assert all(whole.x0 <= word.x0 and word.x1 <= whole.x1 and word.y0 >= box.y1 for word in words)
    assert all(name in page for name in names)
    assert panel.get_legend().get_visible()
    assert not figure.legends


def test_a_legend_too_wide_for_a_phone_moves_above_its_panel_which_keeps_its_height():
    figure, ((panel,),) = new_figure(height=2.4)
    with figure_style():
        for k in range(5):
            panel.plot([0, 1], [0, k], label=f"a long name of a rope of steel {k}")
        panel.legend(ncols=3, loc="upper left")
    svg(figure)
    before = panel.get_position().height * figure.get_figheight()  # [in]
    with phone_layout(figure):
        svg(figure)
        assert panel.get_position().height * figure.get_figheight() > 0.8 * before


def test_a_long_legend_beside_a_panel_moves_above_it():
    figure, panels = new_figure(2, 1, height=2.6)
    with figure_style():
        for (panel,), number in zip(panels, (8, 4), strict=True):
            for k in range(number):
                panel.plot([0, 1], [0, k], label=f"foot {k + 1}")
            panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03))
        panels[0, 0].annotate("flight", (0.2, 1.02), xycoords="axes fraction")
    svg(figure)
    with phone_layout(figure):
        svg(figure)
        for panel in panels.flat:
            (shown,) = [legend for legend in panel.findobj(Legend) if legend.get_visible()]
            box, inside = shown.get_window_extent(), panel.get_window_extent()
            assert box.y0 >= inside.y1
            assert box.y1 <= figure.bbox.y1 + 1
            assert box.x1 <= figure.bbox.x1 + 1
            for text in panel.texts:
                assert not box.overlaps(text.get_window_extent())


def test_hidden_panels_take_no_space():
    """One axis of three moves: below its panel stood two that nobody sees."""
    figure, panels = new_figure(1, 3, height=2.6)
    panels[0, 0].plot([0, 1])
    for ax in panels[0, 1:]:
        ax.set_visible(False)
    with phone_layout(figure):
        figure.draw_without_rendering()
        box = panels[0, 0].get_position()
        assert box.height > 0.6
        assert figure.get_figheight() < 2.6
    figure.draw_without_rendering()
    assert panels[0, 0].get_position().width < 0.4


def test_a_short_legend_beside_a_panel_fits_above_it():
    """Three of them side by side began over the panel and ended beyond the screen."""
    figure, panels = new_figure(height=2.6)
    for name in ("50-mm", "100-mm", "200-mm"):
        panels[0, 0].plot([0, 2500], label=name)
    with figure_style():
        panels[0, 0].set_ylabel("tension [N]")
        panels[0, 0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize="small")
    with phone_layout(figure):
        figure.draw_without_rendering()
        over = next(
            child
            for child in panels[0, 0].get_children()
            if isinstance(child, Legend) and child.get_visible()
        )
        assert over.get_window_extent().x1 <= figure.bbox.x1


def test_long_labels_are_wrapped_and_restored():
    figure, ((panel,),) = new_figure(height=2.4)
    title = "one test and one late actuator, compensated in ten ways that are all in the book"
    below, left = (
        "rms of the ideal displacement minus the demand [% of the ideal]",
        "force of the specimen over the wall's [1]",
    )
    with figure_style():
        panel.plot([0, 1])
        panel.set(xlabel=below, ylabel=left)
        panel.set_title(title, loc="left")
    with phone_layout(figure):
        figure.draw_without_rendering()
        for text in (panel.xaxis.label, panel.yaxis.label):
            box, whole = text.get_window_extent(), figure.bbox
            assert whole.x0 <= box.x0
            assert box.x1 <= whole.x1
            assert whole.y0 <= box.y0
            assert box.y1 <= whole.y1
        said = panel.get_title("left")
        assert "\n" in said
        assert said.replace("\n", " ") == title
    assert (panel.get_title("left"), panel.get_xlabel(), panel.get_ylabel()) == (title, below, left)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_legend_moves_above_its_panel_if_it_hides_a_line(columns):
    figure, ((panel,),) = new_figure(height=2.4)
    with figure_style():
        for k in range(3):
            panel.plot([0, 1], [1, 1 + k], label=f"$z_{k}$, a signal")
        panel.set_title("what it did", loc="left")
        panel.legend(loc="center", ncols=columns, title="signals")
        for text in panel.get_legend().get_texts():
            text.set_parse_math(True)
    with phone_layout(figure):
        svg(figure)
        (shown,) = [legend for legend in panel.findobj(Legend) if legend.get_visible()]
        box = shown.get_window_extent()
        assert box.y0 >= panel.get_window_extent().y1
        assert box.y1 <= figure.bbox.y1 + 1
        assert box.x1 <= figure.bbox.x1
        assert shown.get_title().get_text() == "signals"
        assert all(text.get_parse_math() for text in shown.get_texts())
        (title,) = [
            text for text in panel.get_children() if getattr(text, "get_text", str)() == "what it did"
        ]
        assert not box.overlaps(title.get_window_extent())
    assert panel.get_legend().get_visible()


def test_a_legend_that_hides_no_line_remains_in_its_panel():
    figure, ((panel,),) = new_figure(height=2.4)
    with figure_style():
        panel.plot([0, 1], [0, 1], label="short")
        panel.legend(loc="upper left")
    with phone_layout(figure):
        assert panel.get_legend().get_visible()
        assert len(panel.findobj(Legend)) == 1


def test_two_axes_of_one_panel_stay_together():
    figure, panels = new_figure(1, 2, height=2.4)
    with figure_style():
        other = panels[0, 1].twinx()
        for ax in (*panels.flat, other):
            ax.plot([0, 1])
    with phone_layout(figure):
        svg(figure)
        first, second = (ax.get_position() for ax in panels.flat)
        assert other.get_position().bounds == second.bounds
        assert first.y0 > second.y1
        assert not any(tick.label1.get_visible() for tick in other.yaxis.get_major_ticks())
        assert figure.get_figheight() == pytest.approx(STACKED * 2 * 2.4)  # no empty row below them


@pytest.mark.parametrize("kind", ["polar", "3d"])
def test_labels_of_polar_and_3d_panels_are_complete(kind):
    figure, ((panel,),) = new_figure(height=5.0, subplot_kw={"projection": kind})
    words = panel.get_xticklabels() if kind == "polar" else []
    if kind == "3d":
        panel.set(xlabel="downstream [m]", ylabel="starboard [m]", zlabel="height [m]", zlim=(-200, 0))
        words = [panel.xaxis.label, panel.yaxis.label, panel.zaxis.label]
    with phone_layout(figure):
        figure.draw_without_rendering()
        figure.draw_without_rendering()
        assert len(words) >= 3
        for box in (text.get_window_extent() for text in words):
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0


def test_axis_labels_are_wrapped_between_words():
    figure, panels = new_figure(6, 1, height=3.0)
    for ax, name in zip(panels.flat, ("x", "y", "z", "roll", "pitch", "yaw"), strict=True):
        ax.set_ylabel(f"{name} [mrad]")
    with phone_layout(figure):
        said = [ax.get_ylabel().split() for ax in panels.flat]
    assert said == [[name, "[mrad]"] for name in ("x", "y", "z", "roll", "pitch", "yaw")]


def test_long_numbers_below_a_panel_do_not_touch_and_come_back():
    figure, panels = new_figure(1, 2)
    figure.dpi = 72
    for ax, (first, last) in zip(panels.flat, ((4092.0, 4096.0), (0.00012, 0.00013)), strict=True):
        ax.plot([first, last], [0, 1])
    before = [ax.xaxis.get_major_locator() for ax in panels.flat]
    with phone_layout(figure):
        text = svg(figure)
        for ax in panels.flat:
            low, high = ax.get_xlim()
            ticks = [tick for tick in ax.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
            boxes = [tick.label1.get_window_extent() for tick in ticks]
            assert len(boxes) >= 2
            assert all(left.x1 + 2 < right.x0 for left, right in itertools.pairwise(boxes))
    assert "4094" in text
    assert [ax.xaxis.get_major_locator() for ax in panels.flat] == before


def test_panels_with_shared_axes_keep_their_ticks_and_legends():
    figure, panels = new_figure(3, 1, height=4.5, sharex=True)
    for ax in panels.flat:
        ax.plot([0, 5], [0, 1], label="foot")
    panels[0, 0].annotate("touchdown", (0.5, 1.02), xycoords="axes fraction")
    panels[0, 0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.03))
    svg(figure)
    with phone_layout(figure):
        svg(figure)
        low, high = panels[-1, 0].get_xlim()
        assert sum(low <= x <= high for x in panels[-1, 0].get_xticks()) >= 4
        above = 1 - panels[0, 0].get_position().y1
        assert above * figure.get_figheight() < 0.7  # [in] of a word and a line of a legend
