from dataclasses import replace

import numpy as np

from dovetail.core.recording import Recording
from dovetail.report import sections
from dovetail.report.judged import Judged, RunView
from dovetail.report.page import FigureBlock, PageTable, Paragraph, SideBySide, TableCell
from dovetail.report.page_subject import Reported


def judged(run, reference=None, stability=None, **more):
    return Judged(RunView(run, reference, stability, **more))


def tables(blocks):
    return [block for block in blocks if isinstance(block, PageTable)]


def cell(value):
    return value.text if isinstance(value, TableCell) else value


def test_the_outcome_section_has_sentence_and_limits(late, unstable):
    good, bad = sections.outcome(judged(late)), sections.outcome(judged(unstable))
    assert good[0] == Paragraph("Finished: the run reached its end time.")
    assert bad[0].tone == "bad"
    assert any(isinstance(block, FigureBlock) for block in good)


def test_the_stability_section_has_margins_with_units(late, make):
    blocks = sections.stability([judged(late, None, make.stability(3e-3))])
    rows = {row[0]: cell(row[1]) for row in tables(blocks)[0].rows}
    assert rows["critical delay"] == "6.77 ms"
    assert rows["delay margin"] == "3.77 ms"


def test_a_negative_margin_is_marked(late, make):
    blocks = sections.stability([judged(late, None, make.stability(9e-3))])
    margin = next(row[1] for row in tables(blocks)[0].rows if row[0] == "delay margin")
    assert margin == TableCell("-2.23 ms", "bad")


def test_missing_stability_analysis_is_stated(late):
    assert sections.stability([judged(late)]) == [Paragraph("Stability was not analysed.")]
    text = "Stability not determined: the specimen exerts no force at rest."
    why = "the specimen exerts no force at rest"
    assert sections.stability([judged(late, why=why), judged(late, why=why)]) == [Paragraph(text)]


def test_remarks_of_the_analysis_are_passed_on(late, make):
    stability = make.stability(3e-3, remarks=("the dead zone was left out",))
    assert Paragraph("The dead zone was left out.") in sections.stability([judged(late, None, stability)])


def test_a_curve_is_drawn_with_every_run_on_it(late, unstable, make):
    tau = np.linspace(0, 0.012, 5)
    views = [
        judged(late, None, make.stability(3e-3), label="first", curve=(tau, tau - 6.77e-3)),
        judged(unstable, None, make.stability(9e-3), label="second"),
    ]
    figure = next(b.figure for b in sections.stability(views) if isinstance(b, FigureBlock))
    assert {"first", "second"} <= {text.get_text() for text in figure.axes[0].texts}


def test_errors_are_listed_for_each_axis(two_axes):
    blocks = sections.error(judged(two_axes, two_axes))
    errors, rig = tables(blocks)
    assert [row[0] for row in errors.rows] == ["1", "2"]
    assert list(errors.head)[1:3] == ["response error", "peak response error"]
    assert [row[rig.head.index("delay of the measured displacement")] for row in rig.rows] == ["3 ms", "3 ms"]


def test_axes_at_rest_are_listed_in_one_sentence(two_axes):
    data = two_axes.data.copy(deep=True)
    for name in data.data_vars:
        data[name].values[:, 1] *= 1e-14
    view = judged(replace(two_axes, recording=Recording.from_dataset(data)), Reported(data))
    blocks = sections.error(view)
    assert [[row[0] for row in table.rows] for table in tables(blocks)] == [["1"], ["1"]]
    assert "not determined" not in str(tables(blocks))
    texts = [block.text for block in blocks if isinstance(block, Paragraph)]
    assert [text for text in texts if "not move" in text and text.startswith("2 ")] == [
        "2 does not move: no comparison and no figure."
    ]
    motion = next(block for block in sections.pictures(view) if isinstance(block, FigureBlock))
    assert len({ax.get_subplotspec().rowspan.start for ax in motion.figure.axes}) == 1


def test_a_stopped_run_is_compared_up_to_there(unstable, reference):
    texts = [b.text for b in sections.error(judged(unstable, reference)) if isinstance(b, Paragraph)]
    assert any("ended before the reference" in text for text in texts)


def test_without_a_reference_only_the_tracking_error_is_listed(late):
    assert "No reference solution" in sections.error(judged(late))[0].text


def test_figures_are_drawn_from_recorded_signals(late, reference):
    kinds = [type(block) for block in sections.pictures(judged(late, reference))]
    assert kinds == [FigureBlock, FigureBlock, SideBySide, FigureBlock, FigureBlock]
    bare = replace(
        late,
        recording=Recording.from_dataset(late.data[["displacement", "feedback_force"]]),
    )
    assert [type(block) for block in sections.pictures(judged(bare))] == [FigureBlock]
    nothing = replace(late, recording=Recording.from_dataset(late.data[["excitation"]]))
    assert isinstance(sections.pictures(judged(nothing))[0], Paragraph)


def test_each_axis_has_its_own_synchronisation(two_axes):
    drawn = [
        block for block in sections.pictures(judged(two_axes, two_axes)) if isinstance(block, FigureBlock)
    ]
    loops = next(block.figure for block in drawn if block.caption.startswith("Synchronisation"))
    assert [ax.get_title(loc="left") for ax in loops.axes if ax.get_visible()] == ["axis 1", "axis 2"]


def without_rig(reference):
    return Reported(reference.data, mode="reference", outcome=reference.outcome, given=reference.given)


def test_a_run_without_a_rig_has_no_delays(late, reference, make):
    """The reference beside a rehearsal: no delay, no margin, no mark on the curve, no error."""
    tau = np.linspace(0, 0.012, 5)
    first = judged(late, reference, make.stability(3e-3), label="late", curve=(tau, tau - 6.77e-3))
    second = judged(without_rig(reference), None, make.stability(3e-3), label="free")
    text, _, table, _, picture = sections.stability([first, second])
    assert text == Paragraph("free has no rig and no delay.")
    assert list(table.head) == ["", "late"]
    assert [text.get_text() for text in picture.figure.axes[0].texts if "free" in text.get_text()] == []
    rows = {row[0]: [cell(value) for value in row[1:]] for row in sections.summary([first, second]).rows}
    assert rows["free"][:5] == ["Reference solution", *["no rig"] * 4]
    assert second.verdict.sentence.startswith("Reference solution")
    assert second.verdict.tone == "plain"
    assert "no rig and no rig error" in sections.error(second)[0].text
    assert [type(block) for block in sections.pictures(second)] == [
        FigureBlock
    ] * 3  # no error, no synchronisation
    drawn = sections.pictures(second)[0].figure
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["demand"]


def test_a_reference_alone_is_distinguished_from_the_test_on_its_rig(reference, make):
    text = sections.stability([judged(without_rig(reference), None, make.stability(3e-3))])[0].text
    assert text.startswith("No rig in this run")


def test_only_runs_of_the_same_machine_are_marked_on_the_curve(late, make):
    tau = np.linspace(0, 0.012, 5)
    first = judged(late, None, make.stability(3e-3), label="first", curve=(tau, tau - 6.77e-3))
    other = judged(late, None, make.stability(3e-3, critical_delay=1.3e-3), label="other")
    picture = sections.stability([first, other])[-1]
    assert "of first; the other runs have different curves" in picture.caption
    assert [text.get_text() for text in picture.figure.axes[0].texts].count("first") == 1
    assert not any("other" in text.get_text() for text in picture.figure.axes[0].texts)
