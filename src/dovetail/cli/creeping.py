"""`dovetail run --mode creep`: a pseudo-dynamic test with a robot cell, resumable from its folder."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from dovetail import links, testing
from dovetail.core.errors import OutputError
from dovetail.fidelity import audit
from dovetail.links.live import Live
from dovetail.testing import Run, folder
from dovetail.testing.creep.estimate import describe_time, estimate


def run_creep(
    test: testing.Test,
    name: str,
    out: Path | None,
    report: bool,
    rig: str | None,
    key: Path | None,
    resume: Path | None,
    live: bool = True,
    command: str = "dovetail run TEST",
) -> int:
    """Run or resume, save, print what was found; the exit code. `command` is what began it, to go on with."""
    from dovetail.cli.running import afterwards

    say = Console(highlight=False, markup=False, soft_wrap=True).print
    if resume is not None and not resume.is_dir():
        raise OutputError(f"{resume}: is no folder; --resume takes the folder of a creep test")
    target = resume or folder.create(out or folder.next_folder(Path("runs"), f"{name}-creep"))
    if resume is None:
        say(str(estimate(test)))
    if live:
        say(f"watch     dovetail view {target}")
    run = creep_with_progress(test, target, rig, key, resume is not None, live=live)
    folder.save(run, target)  # at once: nothing that comes after can lose it
    say(str(run))
    say(summary(run))
    say(f"written   {target}")
    if not run.outcome.completed:
        options = {"--resume": target, "--rig": rig, "--key": key}
        words = [f" {name} {shlex.quote(str(value))}" for name, value in options.items() if value is not None]
        say(f"go on     {command} --mode creep{''.join(words)}")

    def judge() -> None:
        if report:
            from dovetail.report.creep import write_creep

            say(f"report    {write_creep([run], target / 'report.html')}")

    return afterwards(run, target, judge, say)


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
    from dovetail.cli.running import progress_bar

    with ExitStack() as stack, progress_bar(label) as bar:
        cell, options = None, {}
        if rig is not None:  # first: without a cell nothing is written, and the folder stays free
            axes = test.shape[0] if test.shape else 1
            cell = stack.enter_context(links.RemoteCell(rig, axes, links.read_key(key)))
        if live:
            watched = stack.enter_context(Live(test, target, "creep"))
            options = {"operator": watched.operator, "show": watched.show()}
        task = bar.add_task("connecting and compiling", total=1.0)

        def tell(share: float, text: str) -> None:
            bar.update(task, completed=share, description=text)

        return test.creep(cell, folder=target, resume=resume, progress=tell, **options)


def summary(run: Run) -> str:
    """How many moves, how long they took, and what the cell said."""
    told = run.data.attrs
    rows = [
        f"cell      {told['cell']}",
        f"moves     {told['moves']}, {told['moves_resumed']} of them from the journal; "
        f"{describe_time(told['cell_seconds'])} of the cell's time, {describe_time(told['wall_seconds'])} here",
    ]
    if books := str(audit(run)):
        rows.append(f"audit     {books}")
    return "\n".join([*rows, f"remark    {told['remark']}"] if told["remark"] else rows)
