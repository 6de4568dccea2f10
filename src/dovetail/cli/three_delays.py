"""Figure of the demonstration: demand of the hybrid test and of the reference solution at each delay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from dovetail.report.style import COLOURS, WIDTH, figure_style
from dovetail.testing import Run


def draw(cases: Mapping[str, tuple[float, Run, Run]], path: Path) -> Path:
    """Write an SVG with one panel per case (delay [s], run, reference)."""
    with figure_style():
        figure = Figure(figsize=(WIDTH, 1.55 * len(cases) + 0.5), layout="constrained")
        panels = figure.subplots(len(cases), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (label, (delay, run, reference_run)) in zip(panels, cases.items(), strict=True):
            end = float(run.data.time[-1])
            panel.plot(
                reference_run.data.time,
                1e3 * reference_run.data.displacement,
                color=COLOURS["reference"],
                lw=2.6,
                label="reference",
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
                    "stopped by limit",
                    (end, 0.95),
                    (6, 0),
                    xycoords=("data", "axes fraction"),
                    textcoords="offset points",
                    color=COLOURS["critical"],
                    va="top",
                )
            panel.set_title(f"{label}: actuator delay {1e3 * delay:.1f} ms")
            panel.set_ylabel("z (mm)")
        panels[0].legend(loc="upper right", ncols=2, bbox_to_anchor=(1.0, 1.32), borderaxespad=0.0)
        panels[-1].set_xlabel("time (s)")
        panels[-1].set_xlim(0.0, 6.0)
        figure.savefig(path, format="svg", metadata={"Date": None}, facecolor="white")
    return path
