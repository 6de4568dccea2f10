"""Report on one or more pseudo-dynamic tests: outcome, audit, motion, force and further signals."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.core import signals
from dovetail.core.si_prefix import si_prefix
from dovetail.fidelity.audit import audit
from dovetail.report import tiles
from dovetail.report.keyframe import key_frame
from dovetail.report.page import Collapsible, Drawing, FigureBlock, Page, PageSection, PageTable, Verdict
from dovetail.report.section_list import page_sections
from dovetail.report.stretches import moved_stretches
from dovetail.report.style import COLOURS, figure_style, new_figure, symbol
from dovetail.testing import Run
from dovetail.testing.pseudodynamic.estimate import format_duration

SHADES = (COLOURS["demand"], COLOURS["critical"], COLOURS["measured"], COLOURS["faint"])
EXTRAS = (
    "drogue_attitude_change",
    "end_tension",
    "tow_tension",
    "reeled_length",
)  # one figure for each recorded signal


def pseudodynamic_page(
    runs: Sequence[Run],
    labels: Sequence[str] | None = None,
    title: str | None = None,
    animation: Path | None = None,
) -> Page:
    """Return the report on one or more runs; `animation` is a GIF to include."""
    from dovetail.testing import dump

    labels = list(labels or [run.title for run in runs])
    blocks: list[Any] = [PageSection("Outcome", [_outcomes(runs, labels), *_audits(runs, labels)])]
    if animation is not None:
        coded = base64.b64encode(animation.read_bytes()).decode("ascii")
        picture = f'<img alt="animation" style="max-width:100%" src="data:image/gif;base64,{coded}"/>'
        blocks.append(PageSection("Animation", [Drawing(picture, "Contact in slow motion.")]))
    if all("drogue_position" in run.recording for run in runs):
        caption = (
            "Displacement of the drogue's centre of mass (solid) and of the ball joint (dashed) from steady flight. "
            "Right: forward; up: up. The two scales differ."
        )
        blocks.append(PageSection("Trajectory", [FigureBlock(trajectories(runs, labels), caption)]))
    blocks.append(
        PageSection(
            "Interface",
            [
                FigureBlock(
                    histories(runs, labels), "Motion and force magnitudes; dots: measurements of the cell."
                )
            ],
        )
    )
    for name in EXTRAS:
        if all(name in run.recording for run in runs):
            blocks.append(
                PageSection(
                    signals.signal(name).label.capitalize(), [FigureBlock(trace(runs, labels, name), "")]
                )
            )
    if len(runs) == 1:
        blocks += page_sections(runs[0], [("Tunable parameters", moved_stretches(runs[0]))])
    blocks += [
        Collapsible(f"Resolved test: {label}", tomli_w.dumps(dump(run.test)))
        for run, label in zip(runs, labels, strict=True)
    ]
    good = all(run.outcome.completed for run in runs)
    sentence = runs[0].outcome.value if len(runs) == 1 else _count(runs)
    return Page(
        title or runs[0].title,
        Verdict(sentence, "plain" if good else "caution"),
        blocks,
        subtitle="Pseudo-dynamic test: force measured at rest",
        tiles=tiles.pseudodynamic_tiles(runs[0]) if len(runs) == 1 else (),
        still=key_frame(runs[0]) if len(runs) == 1 else None,
    )


def _count(runs: Sequence[Run]) -> str:
    done = sum(run.outcome.completed for run in runs)
    return f"{done} of {len(runs)} finished; the others were stopped by a limit."


def _outcomes(runs: Sequence[Run], labels: Sequence[str]) -> PageTable:
    rows = []
    for run, label in zip(runs, labels, strict=True):
        attributes = run.recording.attrs
        rows.append(
            [
                label,
                f"Stopped: {run.trip}" if run.trip else run.outcome.value,
                f"{run.recording.last_time:.4g} s",
                str(attributes["moves"]),
                format_duration(attributes["cell_seconds"]),
            ]
        )
    return PageTable(("test", "outcome", "simulated time", "moves", "cell time"), rows, numbers=(2, 3, 4))


def _audits(runs: Sequence[Run], labels: Sequence[str]) -> list[PageTable]:
    """Return a table of the momentum and energy audit of each run; empty without recorded balances."""
    several = len(runs) > 1
    rows = [
        [label, name, text] if several else [name, text]
        for run, label in zip(runs, labels, strict=True)
        for name, text in audit(run).rows()
    ]
    if not rows:
        return []
    caption = (
        "Momentum and energy audit: balance against impulse and work of all forces; pose error of the robot"
    )
    return [PageTable(("test", "audit", "")[0 if several else 1 :], rows, caption, dense=True)]


def _add_legend(axes: Any, runs: Sequence[Run]) -> None:
    """Add a legend right of the panel if there are several runs."""
    if len(runs) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05))


def trajectories(runs: Sequence[Run], labels: Sequence[str]):
    """Draw drogue and ball joint in the vertical plane, relative to steady flight."""
    figure, ((axes,),) = new_figure(height=3.6)
    for run, label, colour in zip(runs, labels, SHADES, strict=False):
        for name, style in (("drogue_position", "-"), ("ball_joint_position", "--")):
            if name in run.recording:
                r = run.recording[name].values
                moved = 1e3 * (r - r[0])
                axes.plot(
                    moved[:, 0],
                    moved[:, 2],
                    style,
                    color=colour,
                    lw=1.2,
                    label=label if style == "-" else None,
                )
    with figure_style():
        axes.set(xlabel="forward [mm]", ylabel="up [mm]")
        _add_legend(axes, runs)
    return figure


def histories(runs: Sequence[Run], labels: Sequence[str]):
    """Draw the magnitudes of displacement, rotation, force and moment at the interface."""
    pose = runs[0].recording["displacement"].ndim == 2 and runs[0].recording.sizes.get("axis") == 6
    panels: list[tuple[str, slice, str, float]] = [
        ("displacement", slice(0, 3), "displacement [mm]", 1e3),
        ("feedback_force", slice(0, 3), "force [N]", 1.0),
    ]
    if pose:
        panels.insert(1, ("displacement", slice(3, 6), "rotation [deg]", np.rad2deg(1.0)))
        panels.append(("feedback_force", slice(3, 6), "moment [N m]", 1.0))
    figure, grid = new_figure(len(panels), 1, height=1.5 * len(panels) + 0.6, sharex=True)
    for (name, part, label, factor), axes in zip(panels, grid[:, 0], strict=True):
        for run, text, colour in zip(runs, labels, SHADES, strict=False):
            values = run.recording[name].values.reshape(run.recording.sizes["time"], -1)
            size = factor * np.linalg.norm(values[:, part], axis=1)
            axes.plot(run.recording.time.values, size, color=colour, lw=1.0, label=text)
            if name == "feedback_force":
                read = np.flatnonzero(np.diff(run.recording["move_number"].values) > 0) + 1
                axes.plot(run.recording.time.values[read], size[read], ".", color=colour, ms=1.5)
        axes.set_ylabel(label)
    with figure_style():
        _add_legend(grid[0, 0], runs)
        grid[-1, 0].set_xlabel("time [s]")
    return figure


def trace(runs: Sequence[Run], labels: Sequence[str], name: str):
    """Draw one recorded signal of all runs over time."""
    known = signals.signal(name)
    all_of_it = np.concatenate([np.ravel(run.recording[name].values) for run in runs])
    factor, unit = (np.rad2deg(1.0), "deg") if known.unit == "rad" else si_prefix(all_of_it, known.unit)
    figure, ((axes,),) = new_figure(height=2.2)
    for run, label, colour in zip(runs, labels, SHADES, strict=False):
        values = factor * run.recording[name].values.reshape(run.recording.sizes["time"], -1)
        axes.plot(run.recording.time.values, values[:, 0], color=colour, lw=1.2, label=label)
        for other in values.T[1:]:
            axes.plot(run.recording.time.values, other, color=colour, lw=0.8, ls=":")
    symbols_text = " ".join(symbol(word) for word in known.symbol.split())
    with figure_style():
        axes.set(xlabel="time [s]", ylabel=f"{symbols_text} [{unit}]")
        _add_legend(axes, runs)
    return figure
