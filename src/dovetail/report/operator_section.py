"""What a report says of a run against a rig: what the operator pressed, and how clock and link did."""

from __future__ import annotations

import json

import numpy as np
import xarray as xr

from dovetail.core import signals
from dovetail.report.judged import Judged
from dovetail.report.page import Block, PageTable, TableCell, Text


def operated(view: Judged) -> list[Block]:
    """What the operator pressed, and how clock and link did; nothing for a run that had neither."""
    blocks: list[Block] = []
    rows: list[list[str | float | TableCell]] = []
    for press in json.loads(view.data.attrs.get("presses", "[]")):
        turned = press["what"] == "turn"
        values = [f"{press[key]:g}" if turned else "" for key in ("old", "new")]
        what = f"turn {press['path']}" if turned else press["what"]
        rows.append([f"{press['time']:.3f} s", press["clock"], press["who"], what, *values])
    if rows:
        blocks.append(
            PageTable(["test's time", "clock", "who", "what", "from", "to"], rows, "What was pressed")
        )
    if told := late_or_lost(view.data):
        blocks.append(Text(told))
    times = [name for name in ("tick_lateness", "exchange_time", "compute_time") if name in view.data]
    if times and view.data.sizes["time"] > 1:
        shown = [
            [signals.signal(name).label, *(f"{1e6 * v:.0f}" for v in _spread(view.data[name]))]
            for name in times
        ]
        caption = "The clock of the loop, in microseconds"
        blocks.append(
            PageTable(["", "median", "99 %", "99.9 %", "worst"], shown, caption, numbers=(1, 2, 3, 4))
        )
    return blocks


def late_or_lost(data: xr.Dataset) -> str:
    """Ticks that came late and words that the rig did not answer, in a sentence; nothing of a run without a link."""
    about = data.attrs
    if not {"ticks_late", "datagrams_sent", "datagrams_lost"} <= set(about):
        return ""
    late, sent, lost = (int(about[name]) for name in ("ticks_late", "datagrams_sent", "datagrams_lost"))
    ticks = "1 tick was" if late == 1 else f"{late} ticks were" if late else "No tick was"
    words = f"{lost} of {sent} words to the rig were not" if lost else f"all {sent} words to the rig were"
    return f"{ticks} late; {words} answered in time."


def _spread(times: xr.DataArray) -> list[float]:
    """Quantiles of the ticks that were recorded, and the worst of all."""
    values = times.values[1:]
    return [*np.quantile(values, [0.5, 0.99, 0.999]), float(times.attrs.get("largest", np.max(values)))]
