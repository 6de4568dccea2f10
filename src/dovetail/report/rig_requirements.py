"""Page on rig requirements: delay, bandwidth, motion and load of a real-time test of a recorded contact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dovetail.assess.rig_requirements import KNOWN, RigRequirements
from dovetail.report.html import write_page
from dovetail.report.page import FigureBlock, Page, PageSection, PageTable, Paragraph, TableCell, Verdict
from dovetail.report.style import COLOURS, new_figure
from dovetail.stability.contact_delay import damping_bounds


def write_rig_requirements(need: RigRequirements, run: Any, path: str | Path) -> Path:
    """Write the page on the requirements derived from a run."""
    able = need.able()
    quick = [name for name, enough in able.items() if enough]
    text = f"sufficient: {', '.join(quick)}" if quick else "all listed transfer systems are too slow"
    verdict = Verdict(
        f"{'Possible' if quick else 'Not possible'} in real time: largest delay {1e3 * need.delay:.3g} ms; {text}.",
        "good" if quick else "caution",
    )
    systems: list[list[str | float | TableCell]] = [
        [
            name,
            f"{1e3 * delay:.3g}",
            f"{1e3 * lag:.3g}",
            TableCell("sufficient", "good") if able[name] else TableCell("too slow", "bad"),
        ]
        for name, (delay, lag) in KNOWN.items()
    ]
    why = (
        "A delayed contact force adds energy: a delay acts as a damper with the coefficient -stiffness x delay. The "
        "largest loop delay follows from the mass that meets the contact, the largest measured stiffness and the "
        "damping of the measured loops. The required delay is half of it (safety factor 2); the force hold may use a "
        "tenth of it."
    )
    head = ("transfer system", "delay (ms)", "lag (ms)", "")
    blocks = [
        PageSection("Required", [Paragraph(why), PageTable(("", ""), need.rows())]),
        PageSection("Available", [PageTable(head, systems, "Published transfer systems.", numbers=(1, 2))]),
        PageSection(
            "Contact",
            [
                FigureBlock(
                    _path(run, need),
                    "Recorded force against penetration from first contact; dashed: largest stiffness.",
                ),
                FigureBlock(
                    _map(need),
                    "The loop is stable between the two curves. Horizontal line: damping of the contact. Vertical "
                    "lines: transfer systems (delay + lag) within the range of the map.",
                ),
            ],
        ),
    ]
    title = f"Rig requirements: {run.title}"
    return write_page(Page(title, verdict, blocks, subtitle="Based on a pseudo-dynamic test"), path)


def _path(run: Any, need: RigRequirements):
    figure, ((axes,),) = new_figure(height=3.0)
    count = run.recording.sizes["time"]
    z, f = (
        run.recording[name].values.reshape(count, -1)[:, :3] for name in ("displacement", "feedback_force")
    )
    size = np.linalg.norm(f, axis=1)
    touched = int(np.argmax(size > 1e-3 * size.max()))
    way = 1e3 * np.linalg.norm(z[touched:] - z[max(touched - 1, 0)], axis=1)
    axes.plot(way, size[touched:], color=COLOURS["demand"], lw=1.0)
    reach = min(way.max(), 1e3 * size.max() / need.stiffness)
    axes.plot([0.0, reach], [0.0, 1e-3 * need.stiffness * reach], "--", color=COLOURS["critical"], lw=1.0)
    axes.set_xlabel("penetration (mm)")
    axes.set_ylabel("force (N)")
    return figure


def _map(need: RigRequirements):
    figure, ((axes,),) = new_figure(height=3.0)
    delays = np.linspace(0.0, need.any_delay, 200)[1:-1]
    bounds = np.array([damping_bounds(m=need.mass, k=need.stiffness, delay=d) for d in delays])
    axes.semilogy(1e3 * delays, bounds[:, 0], color=COLOURS["ink"])
    axes.semilogy(1e3 * delays, bounds[:, 1], color=COLOURS["ink"])
    axes.fill_between(1e3 * delays, bounds[:, 0], bounds[:, 1], color=COLOURS["band"])
    axes.axhline(max(need.damping, 1e-9), color=COLOURS["critical"], lw=1.0)
    shades = (COLOURS["measured"], COLOURS["demand"], COLOURS["command"], COLOURS["faint"])
    for (name, (delay, lag)), shade in zip(KNOWN.items(), shades, strict=True):
        if delay + lag <= 2.5 * need.any_delay:
            axes.axvline(1e3 * (delay + lag), color=shade, lw=1.2, ls=":", label=name)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", fontsize=10)
    axes.set_xlim(0.0, 2.5e3 * need.any_delay)
    axes.set_xlabel("loop delay (ms)")
    axes.set_ylabel("damping (N s/m)")
    return figure
