"""Charts of the live run, alone: its last 10 s with limits, force, lateness, and shares of limits."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from nicegui import ui

from dovetail.core.si_prefix import si_prefix, value_text
from dovetail.studio.chart import MovingPlot, line
from dovetail.studio.tile import ResultTile
from dovetail.studio.widgets import text_element

HEIGHTS = {"motion": 220, "force": 150, "lateness": 120}  # [px]
NAMES = {"motion": "displacement", "force": "measured force", "lateness": "lateness"}
LINES = {  # colour and name of the line of a signal
    "displacement": ("demand", "demand"),
    "measured_displacement": ("measured", "measured"),
    "measured_force": ("measured", ""),
    "tick_lateness": ("command", ""),
}
NEAR = 0.8  # fraction of a limit from which it is marked; its line is drawn from half of it


class LivePanel:
    """Panel with the charts of one live run."""

    def __init__(self) -> None:
        with ui.element("div").props("id=live") as self.box:
            self.heading = text_element("p", "", "quiet small")
            with ui.element("div").classes("tiles") as self.tile_box:
                self.tiles: dict[str, ResultTile] = {}
            self.charts = {
                name: MovingPlot(f"Live {text}", "time (s)", "", HEIGHTS[name])
                for name, text in NAMES.items()
            }
            for name, chart in self.charts.items():
                chart.props(f"id=chart-live-{name}")
        self.box.visible = False

    async def show(self, job: Any) -> bool:
        """Show the newest samples of a job; return whether it has any."""
        from dovetail.app.live_window import live_window

        window = await asyncio.to_thread(live_window, job.folder)
        self.box.visible = window is not None
        if window is None:
            return False
        self.heading.text = f"{job.folder.name}: live, last 10 s"
        for share in window.shares:
            if share.name not in self.tiles:
                with self.tile_box:
                    self.tiles[share.name] = ResultTile(share.name.replace("_", " "), f"share-{share.name}")
            fraction, tone = share.fraction, "caution" if share.fraction > NEAR else ""
            more = f"of {value_text(share.limit, share.unit)}"
            self.tiles[share.name].show(f"{100 * fraction:.0f} %", more, "bad" if fraction >= 1 else tone)
        for name, chart in self.charts.items():
            traces = window.charts.get(name, {})
            chart.visible = bool(traces)
            if traces:
                chart.show(_picture(traces, window.limits.get(name), NAMES[name], window.samples))
        return True


def _picture(traces: dict[str, Any], limit: float | None, name: str, samples: int) -> dict[str, Any]:
    """Return the picture of some traces; the limit is drawn when they come near it."""
    peak = max(float(np.nanmax(np.abs(trace.y), initial=0.0)) for trace in traces.values())
    unit = next(iter(traces.values())).unit
    factor, prefixed = si_prefix(max(peak, limit or 0.0) if limit else peak, unit)
    lines = [line(trace.t, factor * trace.y, *LINES[signal]) for signal, trace in traces.items()]
    picture: dict[str, Any] = {"lines": lines, "yname": f"{name} ({prefixed})", "number": samples}
    if limit is not None and peak > 0.5 * limit:
        bound = factor * limit
        picture["marks"] = [{"y": side * bound, "colour": "bad"} for side in (1, -1)]
        picture["y"] = [-1.1 * max(bound, factor * peak), 1.1 * max(bound, factor * peak)]
    return picture
