"""How clock and link did, in a report."""

from dataclasses import replace

from dovetail.report import tiles
from dovetail.report.judged import Judged, RunView
from dovetail.report.operator_section import late_or_lost, operated
from dovetail.report.page import Text


def test_ticks_that_were_late_and_words_that_were_lost_are_told(late):
    told = {"ticks_late": 76, "datagrams_sent": 7001, "datagrams_lost": 45}
    run = replace(late, data=late.data.assign_attrs(told))
    said = "76 ticks were late; 45 of 7001 words to the rig were not answered in time."
    assert operated(Judged(RunView(run)))[0] == Text(said)
    assert said in tiles.rehearsed(Judged(RunView(run)))[0].text
    good = late.data.assign_attrs(ticks_late=0, datagrams_sent=7001, datagrams_lost=0)
    assert late_or_lost(good) == "No tick was late; all 7001 words to the rig were answered in time."
    assert late_or_lost(late.data) == ""
