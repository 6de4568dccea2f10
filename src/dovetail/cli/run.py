"""Commands `dovetail run` and `dovetail check`: read a test with settings, run it, write its run folder."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w

from dovetail import fidelity, testing
from dovetail.app.loading import parse_settings, require_test
from dovetail.cli.progress import progress
from dovetail.cli.run_options import RunOptions, run_with_progress
from dovetail.cli.saving import save_or_elsewhere
from dovetail.cli.shortened import short_toml
from dovetail.core.errors import AnalysisError, value_or_none
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome
from dovetail.testing.modes import all_modes, mode_named
from dovetail.testing.remarks import remarks
from dovetail.testing.test_file import read_table

if TYPE_CHECKING:
    from dovetail.testing import Run

EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130
GROWTH_REMARK = (
    "  such fast growth is often an unstable integration: increase rate or substeps, or use an implicit method "
    '(method = { kind = "bdf2" })'
)
MAX_IMPACTS = 12  # printed for each run


def check_test(name: str, settings: list[str], full: bool = False) -> None:
    """Print the remarks on a test and the resolved test; long arrays are shortened unless `full`."""
    file = find_test(name)
    table = read_table(file, parse_settings(settings))
    test = testing.parse(table, file.name)
    for line in remarks(test, table):
        print(f"# {line}")
    print((tomli_w.dumps if full else short_toml)(testing.dump(test)), end="")


def run_test(
    name: str,
    mode: str | None,
    settings: list[str],
    out: Path | None,
    recording: Path | None,
    report: bool,
    address: str | None = None,
    key: Path | None = None,
    resume: Path | None = None,
    live: bool = True,
) -> int:
    """Run a test, save it and print the results; return the exit code."""
    from rich.console import Console

    from dovetail.testing import run_folder
    from dovetail.testing.memory_estimate import require_memory, require_space

    options = RunOptions(recording, address, key, resume=resume, live=live)
    options.check_required(mode)
    file = find_test(name)
    with progress("reading", file.name):
        test = testing.load(file, parse_settings(settings))
    if isinstance(test, testing.MapFile) and mode is None:
        from dovetail.cli.map import run_map

        return run_map(test, file.stem, out, report)
    test = require_test(name, test, mode)
    mode = mode or test.default_mode
    options.check_unused(mode)
    chosen = all_modes()[mode]()
    if "store" in chosen.takes:  # before the folder is created
        require_space(test, chosen, out or Path("runs"))
    else:
        require_memory(test, chosen)
    target = resume or run_folder.create(out or run_folder.next_folder(Path("runs"), f"{file.stem}-{mode}"))
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print

    with progress("assessing") as update_progress:
        stability = value_or_none(lambda: test.stability(update_progress)) if chosen.predicts else None
    if stability:
        print_line(str(stability))
    if resume is None and (forecast := chosen.forecast(test)):
        print_line(forecast)
    if live and chosen.live:
        print_line(f"watch     dovetail view {target}")
    run = run_with_progress(test, mode, dataclasses.replace(options, folder=target))
    target = save_or_elsewhere(run, target)  # first, so that a later error cannot lose the run
    balance = run.energy_balance
    print_line(str(run), style="red" if balance and not balance.closes else None)
    for line in summary_lines(run):
        print_line(line)
    print_line(f"written   {target}")
    if chosen.resumable and not run.outcome.completed:
        given = {"--mode": mode, "--resume": target, "--address": address, "--key": key}
        print_line(f"continue  {_resume_command(name, settings, given)}")
    return finish_run(
        run, target, lambda: _compare_with_reference(run, target, stability, report, print_line), print_line
    )


def _resume_command(name: str, settings: Sequence[str], options: Mapping[str, object]) -> str:
    """Return the command that continues a run."""
    words = ["dovetail", "run", name, *(word for s in settings for word in ("--set", s))]
    words += [str(word) for option in options.items() if option[1] is not None for word in option]
    return shlex.join(words)


def _compare_with_reference(
    run: Run, target: Path, stability: Any, report: bool, print_line: Callable[[str], Any]
) -> None:
    """Compare a run with its reference solution, on the terminal and optionally in its report."""
    from dovetail.testing.cached_reference import reference_of

    with progress("reference solution") as report_progress:
        reference = reference_of(run, target, report_progress)
    if reference is not None:
        print_line(_comparison_text(run, reference))
    for line in _impact_lines(run, reference):
        print_line(line)
    if report:
        with progress("report", "drawing"):
            from dovetail.report import write_run

            page = write_run(
                run, target / "report.html", reference, stability, phones=False
            )  # without the phone layout: faster
        print_line(f"report    {page}")


def summary_lines(run: Run) -> list[str]:
    """Return lines about a recording: timing and link, moves of a cell, or the measures of a simulation."""
    attrs = run.recording.attrs
    if "datagrams_sent" in attrs:
        return _timing_summary(run)
    if "moves" in attrs:
        return _moves_summary(run)
    if run.test.rig is not None:
        return []
    lines = [f"  {name:<28} {text}" for name, text in fidelity.results(run).items()]
    return [GROWTH_REMARK, *lines] if run.outcome in (Outcome.NOT_FINITE, Outcome.VELOCITY) else lines


def _timing_summary(run: Run) -> list[str]:
    """Return tick timing and link statistics of a real-time test."""
    from dovetail.links.tick_budget import tick_budget

    attrs = run.recording.attrs
    lines = [str(tick_budget(run.recording))] if run.recording.sizes["time"] > 1 else []
    lines.append(
        f"link      {attrs['datagrams_sent']} sent, {attrs['datagrams_lost']} unanswered; "
        f"oldest reading {attrs['max_measurement_age']} ticks; "
        f"{attrs['ticks_late']} ticks late, {attrs['ticks_held']} held; tick: {attrs['tick']}"
    )
    lines += [f"remark    {attrs['remark']}"] if attrs["remark"] else []
    return lines + [
        f"{word.replace('_', ' ')}: {attrs[word]}"
        for word in ("real_time_policy", "locked_memory")
        if str(attrs.get(word, "")).startswith("refused")
    ]


def _moves_summary(run: Run) -> list[str]:
    """Return cell, number and duration of the moves, audit and remark of a pseudo-dynamic test."""
    from dovetail.testing.pseudodynamic.estimate import format_duration

    attrs = run.recording.attrs
    lines = [
        f"cell      {attrs['cell']}",
        f"moves     {attrs['moves']}, {attrs['moves_resumed']} from the journal; "
        f"cell time {format_duration(attrs['cell_seconds'])}, wall time {format_duration(attrs['wall_seconds'])}",
    ]
    lines += [f"{name}: {text}" for name, text in fidelity.audit(run).rows()]
    return [*lines, f"remark    {attrs['remark']}"] if attrs["remark"] else lines


def finish_run(
    run: Run, target: Path, evaluate: Callable[[], None], print_line: Callable[[str], None]
) -> int:
    """Evaluate a saved run and return the exit code. An interrupted computation is not evaluated."""
    interrupted = run.outcome is Outcome.INTERRUPTED
    skipped = interrupted and not mode_named(run.mode).live  # what was measured is always evaluated
    try:
        if not skipped:
            evaluate()
    except KeyboardInterrupt:
        skipped = True
    if skipped:
        print_line(
            f"report    skipped after the interruption; write it with: dovetail report {shlex.quote(str(target))}"
        )
    if skipped or interrupted:
        return EXIT_INTERRUPTED
    return 0 if run.outcome.completed else EXIT_STOPPED


def _impact_lines(run: Run, reference: Run | None) -> list[str]:
    """Return a table of the impacts of a run and of its reference solution, with warnings about coarse steps."""
    if "penetration" not in run.recording:
        return []
    from dovetail.fidelity.impacts import coarse_steps, coarse_tick, contact_energy, impact_log
    from dovetail.transfer import Quantiser, Series

    try:
        logs = {
            "reference": impact_log(reference) if reference is not None else [],
            run.mode: impact_log(run),
        }
    except AnalysisError as error:  # the run and its report remain valid
        return [f"contacts: not determined: {error}"]
    named = [(name, impact.texts()) for name, log in logs.items() for impact in log[:MAX_IMPACTS]]
    if not named:
        return ["contacts: none"]
    rows = [("contacts", *named[0][1]), *((name, *texts.values()) for name, texts in named)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([name.ljust(widths[0]), *map(str.rjust, texts, widths[1:])]) for name, *texts in rows]
    energy = contact_energy(logs[run.mode], logs["reference"])
    lines += [] if energy is None else [str(energy)]
    deepest = max((impact.peak_depth for impact in logs[run.mode]), default=0.0)
    actuator = run.test.rig.actuator if isinstance(run.test.rig, testing.Rig) else None
    if (
        mode_named(run.mode).rig_responds
        and run.test.sampling == "rate"
        and not mode_named(run.mode).is_reference
    ):
        warning = coarse_tick(logs[run.mode], logs["reference"], run.test.dt)
        lines += [f"warning: {warning}"] if warning else []
    for part in actuator.parts if isinstance(actuator, Series) else (actuator,):
        step = float(np.max(part.resolution)) if isinstance(part, Quantiser) else 0.0
        warning = coarse_steps(step, deepest)
        lines += [f"warning: {warning}"] if warning else []
    return lines


def _comparison_text(run: Run, reference: Run) -> str:
    try:
        return str(fidelity.compare(run, reference))
    except AnalysisError as error:
        return f"not compared with the reference solution: {error}"
