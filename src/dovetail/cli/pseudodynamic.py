"""Command `dovetail run --mode pseudodynamic`: pseudo-dynamic test with a robot cell, resumable from its folder."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from dovetail import fidelity, links, testing
from dovetail.cli.progress import progress
from dovetail.links.live_run import Live
from dovetail.testing import Run
from dovetail.testing.pseudodynamic.estimate import format_duration


def run_pseudodynamic_with_progress(
    test: testing.Test,
    target: Path,
    address: str | None,
    key: Path | None,
    resume: bool,
    label: str = "pseudo-dynamic test",
    live: bool = False,
) -> Run:
    """Run a pseudo-dynamic test with a progress bar."""
    with ExitStack() as stack, progress(label, "connecting and compiling") as report:
        cell, options = None, {}
        if address is not None:  # first, so that the folder stays empty if no cell answers
            axes = test.shape[0] if test.shape else 1
            cell = stack.enter_context(links.RemoteCell(address, axes, links.read_key(key)))
        if live:
            live_run = stack.enter_context(Live(test, target, "pseudodynamic"))
            options = {"operator": live_run.operator, "show": live_run.show()}
        return test.run_pseudodynamic(cell, folder=target, resume=resume, progress=report, **options)


def summary(run: Run) -> str:
    """Return the summary of a pseudo-dynamic test: cell, number and duration of the moves, audit, remark."""
    attrs = run.data.attrs
    rows = [
        f"cell      {attrs['cell']}",
        f"moves     {attrs['moves']}, {attrs['moves_resumed']} from the journal; "
        f"cell time {format_duration(attrs['cell_seconds'])}, wall time {format_duration(attrs['wall_seconds'])}",
    ]
    if audit := str(fidelity.audit(run)):
        rows.append(f"audit     {audit}")
    return "\n".join([*rows, f"remark    {attrs['remark']}"] if attrs["remark"] else rows)
