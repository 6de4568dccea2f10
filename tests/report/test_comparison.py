"""Several runs on one page."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from dovetail.cli.report import BROWSERS, print_pdf
from dovetail.core.recording import Recording
from dovetail.report import RunView, rehearsals_page
from dovetail.report.comparison import alone, errors
from dovetail.report.html import write_page
from dovetail.report.judged import Judged
from dovetail.report.page import FigureBlock, PageSection, PageTable, Paragraph, SideBySide
from dovetail.report.page_subject import Reported

AXES = ["x", "y", "z", "roll", "pitch", "yaw"]


def on_six(make, one, scales):
    """A recording of one axis on six."""
    data = one.data
    six = make.recording(
        data.time.values, **{n: y.values[:, None] * scales for n, y in data.data_vars.items()}
    )
    return replace(one, recording=Recording.from_dataset(six.assign_coords(axis=AXES)))


@pytest.fixture
def six(late, reference, make):
    """Two runs on six axes, of which the second moves on all and their reference on three."""
    all_, some = np.array([1.0, 1e-3, 0.7, 1e-4, 0.5, 1e-4]), np.array([1.0, 0.0, 0.7, 0.0, 0.5, 0.0])
    whole = on_six(make, reference, some)
    return [
        RunView(on_six(make, late, some), whole, make.stability(3e-3), "early"),
        RunView(on_six(make, make.run(4e-3), all_), whole, make.stability(4e-3), "later"),
    ]


def test_errors_of_two_runs_are_listed_by_axis(six):
    blocks = errors([Judged(view) for view in six])
    tables = [block for block in blocks if isinstance(block, PageTable)]
    assert len(tables) == 2
    for table in tables:
        assert [row[:2] for row in table.rows] == [
            [axis, run] for axis in ("x", "z", "pitch") for run in ("early", "later")
        ]
        assert "not determined" not in [cell for row in table.rows for cell in row]
    texts = [block.text for block in blocks if isinstance(block, Paragraph)]
    assert len(texts) == 1
    assert texts[0].startswith("y, roll and yaw do not move in the reference")


def test_individual_runs_are_short_and_refer_to_their_reports(six, late, reference, make):
    blocks = alone([Judged(view) for view in six], shared=True)
    assert "dovetail report FOLDER" in blocks[0].text
    assert [block.title for block in blocks[1:]] == ["early", "later"]
    for run in blocks[1:]:
        assert sum("Errors in time" in b.caption for b in run.blocks if isinstance(b, FigureBlock)) == 1
        assert not [b for b in run.blocks if isinstance(b, PageTable | PageSection)]
    one = alone([Judged(RunView(late, reference, make.stability(3e-3), "one"))], shared=True)[1]
    assert isinstance(one.blocks[-1], SideBySide)


def test_runs_without_common_signals_show_their_motion(six, late, reference, make):
    views = [Judged(six[0]), Judged(RunView(late, reference, make.stability(3e-3), "one"))]
    for run in alone(views, shared=False)[1:]:
        assert run.blocks[-1].caption.startswith("Demand of the numerical substructure")


def test_a_run_without_a_reference_states_it(late, reference, make):
    views = [
        RunView(late, reference, make.stability(3e-3), "held"),
        RunView(late, None, make.stability(3e-3), "bare"),
    ]
    table, *_, said = errors([Judged(view) for view in views])
    assert [row[0] for row in table.rows] == ["held"]
    assert said.text == "bare has no reference solution."
    free = Judged(
        RunView(
            Reported(reference.data, mode="reference", outcome=reference.outcome),
            label="free",
        )
    )
    assert "No rig in these runs" in errors([free, free])[0].text


def test_a_common_reason_is_stated_once(six):
    views = [
        replace(view, stability=None, why=why)
        for view, why in zip(six, ("steps; it is open", "noise; it is open"), strict=True)
    ]
    page = rehearsals_page("two", views)
    text = next(section for section in page.blocks if section.title == "Stability").blocks[0].text
    assert text == "Stability not determined: steps; it is open; noise."


@pytest.mark.slow
def test_two_runs_on_six_axes_are_printed_on_eight_pages(six, tmp_path):
    if not any(map(shutil.which, BROWSERS)):
        pytest.skip("no browser to print with")
    page = write_page(rehearsals_page("two on six axes", six), tmp_path / "comparison.html")
    assert print_pdf(page).read_bytes().count(b"/Type /Page\n") <= 8
