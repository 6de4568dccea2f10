"""`dovetail run --mode creep`: a pseudo-dynamic test with a robot cell, resumable from its folder."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from dovetail import fidelity, links, testing
from dovetail.cli.progress import telling
from dovetail.links.live_run import Live
from dovetail.testing import Run
from dovetail.testing.pseudodynamic.estimate import describe_time


def creep_with_progress(
    test: testing.Test,
    target: Path,
    rig: str | None,
    key: Path | None,
    resume: bool,
    label: str = "creeping",
    live: bool = False,
) -> Run:
    """Run a creep test with a bar that vanishes when it is done."""
    with ExitStack() as stack, telling(label, "connecting and compiling") as tell:
        cell, options = None, {}
        if rig is not None:  # first: without a cell nothing is written, and the folder stays free
            axes = test.shape[0] if test.shape else 1
            cell = stack.enter_context(links.RemoteCell(rig, axes, links.read_key(key)))
        if live:
            watched = stack.enter_context(Live(test, target, "creep"))
            options = {"operator": watched.operator, "show": watched.show()}
        return test.creep(cell, folder=target, resume=resume, progress=tell, **options)


def summary(run: Run) -> str:
    """How many moves, how long they took, and what the cell said."""
    told = run.data.attrs
    rows = [
        f"cell      {told['cell']}",
        f"moves     {told['moves']}, {told['moves_resumed']} of them from the journal; "
        f"{describe_time(told['cell_seconds'])} of the cell's time, {describe_time(told['wall_seconds'])} here",
    ]
    if books := str(fidelity.audit(run)):
        rows.append(f"audit     {books}")
    return "\n".join([*rows, f"remark    {told['remark']}"] if told["remark"] else rows)
