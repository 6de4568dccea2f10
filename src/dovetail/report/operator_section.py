"""Report section of a run with a rig: operator actions, tick timing and link."""

from __future__ import annotations

import json

import numpy as np

from dovetail.core import signals
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.report import figures
from dovetail.report.judged import Judged
from dovetail.report.page import Block, FigureBlock, PageTable, Paragraph, TableCell

TIMING = (  # signal, scale and unit of its row
    ("tick_lateness", 1e6, "µs"),
    ("exchange_time", 1e6, "µs"),
    ("compute_time", 1e6, "µs"),
    ("measurement_age", 1.0, "ticks"),
)


def operator_section(view: Judged) -> list[Block]:
    """Return operator actions, lost messages and tick timing; empty for a run without operator and link."""
    blocks: list[Block] = []
    rows: list[list[str | float | TableCell]] = []
    for press in json.loads(view.data.attrs.get("operator_events", "[]")):
        turned = press["action"] == "set"
        values = [f"{press[key]:g}" if turned else "" for key in ("old", "new")]
        what = f"set {press['path']}" if turned else press["action"]
        rows.append([f"{press['time']:.3f} s", press["wall_time"], press["user"], what, *values])
    if rows:
        blocks.append(
            PageTable(["simulated time", "clock", "user", "action", "from", "to"], rows, "Operator actions")
        )
    if sentence := late_or_lost(view.data):
        blocks.append(Paragraph(sentence))
        if remark := view.data.attrs.get("remark"):
            blocks.append(Paragraph(f"Remark: {remark}.", "caution"))
    times = [(name, scale, unit) for name, scale, unit in TIMING if name in view.data]
    if times and view.data.sizes["time"] > 1:
        timing_rows = [
            [
                f"{signals.signal(name).label} ({unit})",
                *(f"{scale * v:.0f}" for v in _spread(view.data[name])),
            ]
            for name, scale, unit in times
        ]
        blocks.append(
            PageTable(
                ["", "median", "99 %", "99.9 %", "worst"], timing_rows, "Tick timing", numbers=(1, 2, 3, 4)
            )
        )
        if "measurement_age" in view.data and view.data["measurement_age"].values.max() > 0:
            caption = "Age of the reading used in each tick"
            if limit := view.data.attrs.get("link_timeout"):
                caption += f"; the link is lost at {limit} ticks"
            blocks.append(FigureBlock(figures.measurement_age(view.data, limit), f"{caption}."))
    return blocks


def late_or_lost(data: Recording) -> str:
    """Return a sentence on late ticks and messages without reply; empty for a run without a link."""
    about = data.attrs
    if not {"ticks_late", "datagrams_sent", "datagrams_lost"} <= set(about):
        return ""
    late, sent, lost = (int(about[name]) for name in ("ticks_late", "datagrams_sent", "datagrams_lost"))
    ticks = "1 tick was" if late == 1 else f"{late} ticks were" if late else "No tick was"
    words = (
        f"{lost} of {sent} messages to the rig were not" if lost else f"all {sent} messages to the rig were"
    )
    return f"{ticks} late; {words} answered in time."


def _spread(times: RecordedSignal) -> list[float]:
    """Return quantiles of the recorded ticks, and the largest value of all ticks."""
    values = times.values[1:]
    return [*np.quantile(values, [0.5, 0.99, 0.999]), float(times.attrs.get("largest", np.max(values)))]
