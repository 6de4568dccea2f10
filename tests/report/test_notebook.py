"""What a notebook shows of a test, a run and a campaign."""

import dataclasses
import re
from html import escape

import numpy as np
import pytest

import dovetail as dv
from dovetail.report.notebook import scoped_style, styled_html
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def test():
    return dv.load(find_test("substructuring/cs1"), {"duration": 0.2, "title": "A <b>bold</b> test"})


def test_a_test_draws_its_loop(test):
    html = test._repr_html_()
    assert '<svg class="loop"' in html
    assert "A &lt;b&gt;bold&lt;/b&gt; test" in html
    assert "3 ms" in html  # the delay of its actuator


def test_a_run_shows_outcome_and_signals(test):
    html = test.rehearse()._repr_html_()
    assert "Finished: the run reached its end time." in html
    assert '<svg class="plot"' in html
    assert "measured_force" in html


def test_a_simulation_shows_its_title_and_kind():
    html = dv.load(find_test("capture/swing"))._repr_html_()
    assert "without a rig" in html


def test_a_campaign_shows_verdict_and_sensitivities(tmp_path):
    from dovetail import campaign

    (tmp_path / "hill_model.py").write_text(
        "def evaluate(points):\n    return {'height': [2 * p['a'] + p['b'] for p in points]}\n"
    )
    axes = "".join(f"[[parameter]]\npath = '{n}'\nvalues = [0.0, 1.0]\n" for n in "ab")
    (tmp_path / "c.toml").write_text(
        'title = "hill"\nparts = ["hill_model.py"]\nevaluate = "hill_model:evaluate"\n' + axes
    )
    done = campaign.run(campaign.load(tmp_path / "c.toml"), tmp_path / "out")
    html = done._repr_html_()
    assert "All 4 points computed" in html
    assert html.count('<svg class="plot"') >= 1


def test_the_style_is_for_the_inside_only():
    rules = re.sub(r"@media[^{]*\{((?:[^{}]*\{[^{}]*\})*)\s*\}", r"\1", scoped_style())
    rules = re.sub(r"\{[^{}]*\}", "", rules)
    assert all(selector.strip().startswith(".dovetail") for selector in rules.split("\n") if selector.strip())
    assert "--demand" in scoped_style()
    assert styled_html("x").startswith('<div class="dovetail">')
    assert "<script" not in styled_html("x")


def test_a_planned_campaign_shows_its_parameters():
    table = {
        "title": "A <b>bold</b> campaign",
        "test": "substructuring/cs1",
        "measures": ["rms e1", "stability.margin"],
        "modes": ["reference", "rehearse"],
        "parameter": [
            {"path": "rig.actuator.delay", "distribution": "normal", "mean": "4 ms", "deviation": "1 ms"},
            {"path": "numerical.c", "name": "damping", "min": 10.0, "max": 20.0},
        ],
        "correlation": [{"parameters": ["delay", "damping"], "coefficient": 0.5}],
        "design": {"kind": "random", "count": 6},
    }
    html = dv.campaign.parse(table)._repr_html_()
    assert "A &lt;b&gt;bold&lt;/b&gt; campaign" in html
    for words in (
        "random, 6 points",
        "rig.actuator.delay: normal (0.004, 0.001) s",
        "numerical.c: 10 to 20 N s/m",
        "delay and damping: 0.5",
        "stability.margin",
    ):
        assert words in html


def test_a_part_and_a_rig_show_their_parameters_with_unit_and_meaning(test):
    html = dv.transfer.Delay(6.5e-3)._repr_html_()
    assert "<b>delay</b>" in html
    assert re.search(r"<th>delay</th><td>6\.5 ms</td><td>\w+", html)
    assert "specimen.k" in test.rig._repr_html_()


def test_a_verdict_is_coloured_by_its_tone(test):
    assert 'class="verdict good"' in test.stability()._repr_html_()
    late = dv.load("substructuring/cs1", {"rig.actuator.delay": "9 ms"}).stability()
    html = late._repr_html_()
    assert 'class="verdict bad"' in html
    assert "critical delay 6.77 ms" in html


def test_a_comparison_is_shown_as_a_table(test):
    compared = dv.fidelity.compare(test.rehearse(), test.reference())
    html = compared._repr_html_()
    for row in compared.rows():
        assert all(escape(text) in html for text in row)


def test_axes_that_do_not_move_have_no_column(test):
    compared = dv.fidelity.compare(test.rehearse(), test.reference())

    def axes(value):
        return np.array([value, np.nan])

    fields = (
        "delay",
        "gain",
        "residual",
        "loop_opening",
        "growth_rate",
        "energy_added",
        "added_energy_fraction",
    )
    two = dataclasses.replace(
        compared,
        rms={name: axes(value) for name, value in compared.rms.items()},
        peak={name: axes(value) for name, value in compared.peak.items()},
        loop_direction=(compared.loop_direction, ""),
        axes=("x", "yaw"),
        notes=(),
        **{name: axes(getattr(compared, name)) for name in fields},
    )
    assert two.moving_axes == [0]
    for text in (two._repr_html_(), str(two)):
        assert "yaw" not in text
        assert text.count("not determined") <= 1  # of the growth of so short a run


def test_a_campaign_shows_each_picture_once(tmp_path):
    from dovetail import campaign
    from dovetail.report.notebook import campaign_html

    (tmp_path / "c.toml").write_text(
        'test = "substructuring/cs1"\nmeasures = ["peak displacement"]\n[set]\nduration = "0.5 s"\n'
        "[[parameter]]\npath = 'rig.actuator.delay'\nvalues = [0.001, 0.02, 0.04]\n"
        "[[parameter]]\npath = 'numerical.c'\nname = 'damping'\nvalues = [1.0, 10.0, 30.0]\n"
        "[[analysis]]\nkind = 'probability'\ncondition = 'outcome == 0'\n"
    )
    campaign.run(campaign.load(tmp_path / "c.toml"), tmp_path / "out")
    html = campaign_html(tmp_path / "out")
    assert html.count("<figcaption>Outcome of the runs") <= 1
    assert "Sensitivity of peak displacement" in html
    assert "over delay and damping." in html.replace("mean over", "")


LETTERS = """[...document.querySelectorAll('svg text')].filter(t => t.getClientRects().length).map(t => {
    const m = t.getScreenCTM();
    return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b);
})"""


def test_letters_of_a_drawing_and_of_a_plot_can_be_read_on_a_phone(test, browsers):
    window = browsers().new_page(viewport={"width": 420, "height": 900})
    window.set_content(test._repr_html_())
    assert min(window.evaluate(LETTERS)) >= 11
    assert (
        window.evaluate("[...document.querySelectorAll('svg.loop')].filter(s => s.clientWidth).length") == 1
    )
    window.set_content(test.rehearse()._repr_html_())
    assert min(window.evaluate(LETTERS)) >= 11
    window.close()
