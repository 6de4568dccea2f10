"""Late ticks and lost messages in a report."""

from dataclasses import replace

import numpy as np

from dovetail.report import tiles
from dovetail.report.judged import Judged, RunView
from dovetail.report.operator_section import late_or_lost, operator_section
from dovetail.report.page import FigureBlock, Paragraph


def test_late_ticks_and_lost_datagrams_are_reported(late):
    attributes = {"ticks_late": 76, "datagrams_sent": 7001, "datagrams_lost": 45}
    run = replace(late, recording=late.recording.with_attrs(**attributes))
    text = late_or_lost(run.recording)
    assert all(number in text for number in ("76 ticks", "45 of 7001"))
    assert operator_section(Judged(RunView(run)))[0] == Paragraph(text)
    assert text in tiles.hybrid_tiles(Judged(RunView(run)))[0].text
    good = late.data.assign_attrs(ticks_late=0, datagrams_sent=7001, datagrams_lost=0)
    assert "all 7001" in late_or_lost(good)
    assert late_or_lost(late.data) == ""


def test_the_age_of_the_readings_is_drawn_where_a_reading_was_old(late):
    def figures(age):
        data = late.data.assign(measurement_age=("time", np.full(late.data.sizes["time"], age)))
        data = data.assign_attrs(
            ticks_late=0, datagrams_sent=7001, datagrams_lost=0, remark="oldest reading", link_timeout=20
        )
        blocks = operator_section(Judged(RunView(replace(late, recording=data))))
        assert Paragraph("Remark: oldest reading.", "caution") in blocks
        return [block for block in blocks if isinstance(block, FigureBlock)]

    assert figures(0.0) == []
    (drawn,) = figures(3.0)
    assert drawn.caption.endswith("the link is lost at 20 ticks.")
    (line,) = drawn.figure.axes[0].lines
    assert set(line.get_ydata()) == {3.0}
    assert len(figures(15.0)[0].figure.axes[0].lines) == 2  # with the limit
