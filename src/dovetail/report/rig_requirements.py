"""The page on what a real-time test of a recorded contact would need: delay, bandwidth, motion and load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dovetail.assess.rig_requirements import KNOWN, RealTimeNeed
from dovetail.report.page import Page, PageSection, PageTable, Picture, TableCell, Text, Verdict
from dovetail.report.style import COLOURS, new_figure
from dovetail.stability.contact_delay import damping_bounds


def write_need(need: RealTimeNeed, run: Any, path: str | Path) -> Path:
    """Write the page on the need that was found from a run."""
    able = need.able()
    quick = [name for name, enough in able.items() if enough]
    told = (
        f"{', '.join(quick)} would do" if quick else "no transfer system that is listed here is quick enough"
    )
    verdict = Verdict(
        f"{'Possible' if quick else 'Not in real time'}: the loop may be late by {1e3 * need.delay:.3g} ms; {told}.",
        "good" if quick else "caution",
    )
    systems: list[list[str | float | TableCell]] = [
        [
            name,
            f"{1e3 * delay:.3g}",
            f"{1e3 * lag:.3g}",
            TableCell("quick enough", "good") if able[name] else TableCell("too slow", "bad"),
        ]
        for name, (delay, lag) in KNOWN.items()
    ]
    why = (
        "A contact that is felt late gains energy: a delay acts as a damper of minus stiffness times delay. The mass "
        "that meets the contact, its steepest measured stiffness and the damping that its loops show decide how late "
        "the loop may be. Half of that is wanted, so that a factor of two is in hand; holding the force may cost a "
        "tenth of it."
    )
    head = ("transfer system", "delay [ms]", "lag [ms]", "")
    blocks = [
        PageSection("What is needed", [Text(why), PageTable(("", ""), need.rows())]),
        PageSection("What there is", [PageTable(head, systems, "As published.", numbers=(1, 2))]),
        PageSection(
            "Contact",
            [
                Picture(
                    _path(run, need),
                    "Force over the way from first touch, as recorded; the dashed line has the steepest stiffness.",
                ),
                Picture(
                    _map(need),
                    "Between the two curves the loop is stable. The line across is the contact's own damping; lines "
                    "upright are transfer systems, delay and lag together, where they are on the map.",
                ),
            ],
        ),
    ]
    return Page(
        f"Real-time need: {run.title}", verdict, blocks, subtitle="From a contact that was tested slowly"
    ).write(path)


def _path(run: Any, need: RealTimeNeed):
    figure, ((axes,),) = new_figure(height=3.0)
    count = run.data.sizes["time"]
    z, f = (run.data[name].values.reshape(count, -1)[:, :3] for name in ("displacement", "force"))
    size = np.linalg.norm(f, axis=1)
    touched = int(np.argmax(size > 1e-3 * size.max()))
    way = 1e3 * np.linalg.norm(z[touched:] - z[max(touched - 1, 0)], axis=1)
    axes.plot(way, size[touched:], color=COLOURS["demand"], lw=1.0)
    reach = min(way.max(), 1e3 * size.max() / need.stiffness)
    axes.plot([0.0, reach], [0.0, 1e-3 * need.stiffness * reach], "--", color=COLOURS["critical"], lw=1.0)
    axes.set_xlabel("way [mm]")
    axes.set_ylabel("force [N]")
    return figure


def _map(need: RealTimeNeed):
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
    axes.set_xlabel("delay of the loop [ms]")
    axes.set_ylabel("damping [N s/m]")
    return figure
