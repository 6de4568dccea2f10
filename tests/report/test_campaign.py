"""Report on a campaign."""

import pytest

from dovetail import campaign
from dovetail.campaign.analysis_results import rows as flat_rows
from dovetail.report.campaign import campaign_page, measures, variance_fractions, write_campaign
from dovetail.report.page import FigureBlock, PageSection, PageTable, Paragraph


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Campaign with an effect of a eleven times that of b; one point fails."""
    place = tmp_path_factory.mktemp("campaign")
    (place / "own_model.py").write_text(
        "def evaluate(points):\n"
        "    rows = [11.0 * p['a'] + p['b'] if p['a'] + p['b'] < 6 else float('nan') for p in points]\n"
        "    return {'height': rows}\n"
    )
    (place / "c.toml").write_text(
        'title = "A <hill>"\nparts = ["own_model.py"]\nevaluate = "own_model:evaluate"\n'
        "[[parameter]]\npath = 'a'\nvalues = [0.0, 1.0, 2.0, 3.0]\n"
        "[[parameter]]\npath = 'b'\nvalues = [0.0, 1.0, 2.0, 3.0]\n"
    )
    plan = campaign.load(place / "c.toml")
    campaign.run(plan, place / "out")
    return place / "out"


def blocks_of(page, kind):
    blocks = []
    for block in page.blocks:
        inner = block.blocks if isinstance(block, PageSection) else [block]
        blocks += [b for b in inner if isinstance(b, kind)]
    return blocks


def test_the_page_has_ranges_a_ranking_a_map_and_the_worst_points(computed):
    page = campaign_page(computed)
    assert "Largest effect on height: a" in page.verdict.sentence
    captions = [picture.caption for picture in blocks_of(page, FigureBlock)]
    assert any(text.startswith("Sensitivity of height. Fraction of the variance") for text in captions)
    assert any("over a and b" in text for text in captions)
    tables = blocks_of(page, PageTable)
    assert any(row[0] == "a" for row in tables[0].rows)
    worst = next(table for table in tables if "command" in table.head)
    assert worst.rows[0][0] == "35"
    assert "python -c" in worst.rows[0][2]


def test_a_model_may_name_a_measure_outcome(tmp_path):
    """Two of a model is not that of a test, of which it would say that a limit was met."""
    (tmp_path / "own_outcome.py").write_text(
        "def evaluate(points):\n"
        "    return {'outcome': [2.0 * (p['sea_state'] > 4) for p in points], 'load': [p['heading'] for p in points]}\n"
    )
    (tmp_path / "c.toml").write_text(
        'parts = ["own_outcome.py"]\nevaluate = "own_outcome:evaluate"\n'
        "[[parameter]]\npath = 'sea_state'\nvalues = [3.0, 5.0]\n"
        "[[parameter]]\npath = 'heading'\nvalues = [0.0, 1.0]\n"
        "[[analysis]]\nkind = 'probability'\ncondition = 'outcome == 0'\n"
    )
    campaign.run(campaign.load(tmp_path / "c.toml"), tmp_path / "out")
    page = campaign_page(tmp_path / "out")
    assert "stopped" not in page.verdict.sentence
    assert page.verdict.tone == "plain"
    texts = [block.text for block in page.blocks[0].blocks if isinstance(block, Paragraph)]
    assert texts == ["50 % of the points (2 of 4): outcome == 0."]
    assert not blocks_of(PageSection("", page.blocks[0].blocks), FigureBlock)
    captions = [picture.caption for picture in blocks_of(page, FigureBlock)]
    assert "load over sea state and heading." in captions  # as they are given, whichever matters more


def test_the_sensitivity_to_a_parameter_is_the_fraction_of_variance_it_explains(computed):
    store = campaign.Store.resume(computed)
    table = flat_rows(campaign.open_results(computed, flat=True))
    assert measures(store, table) == ["height"]
    ranked, how = variance_fractions(store, table, "height")
    assert [name for name, _ in ranked] == ["a", "b"]
    assert ranked[0][1] > 0.9 > 0.1 > ranked[1][1]
    assert "explains alone" in how


def test_markup_in_names_is_escaped_and_the_page_is_one_file(computed, tmp_path):
    written = write_campaign(computed, tmp_path / "page.html")
    text = written.read_text("utf-8")
    assert "A &lt;hill&gt;" in text
    assert "<hill>" not in text
    assert "<script" not in text
