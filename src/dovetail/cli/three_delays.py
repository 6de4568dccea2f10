"""The demonstration's picture: what was asked of the specimen, and what the ideal would have asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from dovetail.report.style import COLOURS, WIDTH, styled
from dovetail.testing import Run


def draw(cases: Mapping[str, tuple[float, Run, Run]], path: Path) -> Path:
    """Write one panel a case (delay [s], run, ideal), demand over ideal, as SVG."""
    with styled():
        figure = Figure(figsize=(WIDTH, 1.55 * len(cases) + 0.5), layout="constrained")
        panels = figure.subplots(len(cases), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (label, (delay, run, ideal)) in zip(panels, cases.items(), strict=True):
            end = float(run.data.time[-1])
            panel.plot(
                ideal.data.time, 1e3 * ideal.data.displacement, color=COLOURS["ideal"], lw=2.6, label="ideal"
            )
            panel.plot(
                run.data.time,
                1e3 * run.data.displacement,
                color=COLOURS["demand"],
                lw=1.1,
                label="hybrid test",
            )
            if not run.outcome.completed:
                panel.axvline(end, color=COLOURS["critical"], ls="--", lw=1.2)
                panel.annotate(
                    "stopped by a limit",
                    (end, 0.95),
                    (6, 0),
                    xycoords=("data", "axes fraction"),
                    textcoords="offset points",
                    color=COLOURS["critical"],
                    va="top",
                )
            panel.set_title(f"{label}: the actuator is {1e3 * delay:.1f} ms late")
            panel.set_ylabel("z [mm]")
        panels[0].legend(loc="upper right", ncols=2, bbox_to_anchor=(1.0, 1.32), borderaxespad=0.0)
        panels[-1].set_xlabel("time [s]")
        panels[-1].set_xlim(0.0, 6.0)
        figure.savefig(path, format="svg", metadata={"Date": None}, facecolor="white")
    return path
