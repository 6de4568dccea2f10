"""Late ticks and lost messages in a report."""

from dataclasses import replace

from dovetail.report import tiles
from dovetail.report.judged import Judged, RunView
from dovetail.report.operator_section import late_or_lost, operator_section
from dovetail.report.page import Paragraph


def test_late_ticks_and_lost_datagrams_are_reported(late):
    attributes = {"ticks_late": 76, "datagrams_sent": 7001, "datagrams_lost": 45}
    run = replace(late, data=late.data.assign_attrs(attributes))
    text = late_or_lost(run.data)
    assert all(number in text for number in ("76 ticks", "45 of 7001"))
    assert operator_section(Judged(RunView(run)))[0] == Paragraph(text)
    assert text in tiles.hybrid_tiles(Judged(RunView(run)))[0].text
    good = late.data.assign_attrs(ticks_late=0, datagrams_sent=7001, datagrams_lost=0)
    assert "all 7001" in late_or_lost(good)
    assert late_or_lost(late.data) == ""
