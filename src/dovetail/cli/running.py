"""`dovetail run` and `dovetail check`: from a name and a few settings to a run's folder."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from dovetail import fidelity, testing
from dovetail.cli.rigs import describe, run_against, save_somewhere
from dovetail.core.errors import AnalysisError, Fault, ParameterError, TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome, Run, folder
from dovetail.testing.file import read_table
from dovetail.testing.remarks import remarks
from dovetail.testing.room import require_room

EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130
GREW = (
    "  what grows so fast is often the integration: raise rate or substeps, or take an implicit method "
    '(method = { kind = "bdf2" })'
)
MOST_IMPACTS = 12  # of each kind on the terminal
MODES = ("emulate", "rehearse", "run", "creep", "replay")


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """`path=value` pairs; a value is read as TOML where it is that, else as text."""
    changes, faults = {}, []
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path.strip():
            faults.append(Fault(setting, "needs the form path=value, for example rig.actuator.delay=0.007"))
            continue
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        changes[path.strip()] = value
    if faults:
        raise TestFileError("--set", faults)
    return changes


def check_test(name: str, settings: list[str]) -> None:
    """Print the resolved test with remarks above it, or all that is wrong with it."""
    file = find_test(name)
    table = read_table(file, parse_settings(settings))
    test = testing.parse(table, file.name)
    for remark in remarks(test, table):
        print(f"# {remark}")
    print(tomli_w.dumps(testing.dump(test)), end="")


def run_test(
    name: str,
    mode: str,
    settings: list[str],
    out: Path | None,
    recording: Path | None,
    report: bool,
    rig: str | None = None,
    key: Path | None = None,
    resume: Path | None = None,
    live: bool = True,
) -> int:
    """Run, save, print what was found; the exit code."""
    if mode not in MODES:
        raise ParameterError(f'--mode: got "{mode}"; one of {", ".join(MODES)}')
    if mode == "replay" and recording is None:
        raise ParameterError("--mode replay needs --recording with the folder of an earlier run")
    file = find_test(name)
    test = testing.load(file, parse_settings(settings))
    if isinstance(test, testing.ChartFile | testing.Simulation) and mode != "rehearse":
        raise ParameterError(
            f"{name}: is a simulation without a rig and has no modes; leave out --mode {mode}"
        )
    if isinstance(test, testing.ChartFile):
        from dovetail.cli.charting import run_chart

        return run_chart(test, file.stem, out, report)
    if isinstance(test, testing.Simulation):
        return run_simulation(test, file.stem, out, report)
    if isinstance(test, testing.CellFile):
        raise ParameterError(f"{name}: is a robot cell; serve it with: dovetail rig serve {name}")
    if mode == "creep":
        from dovetail.cli.creeping import run_creep

        command = shlex.join(["dovetail", "run", name, *(word for s in settings for word in ("--set", s))])
        return run_creep(test, file.stem, out, report, rig, key, resume, live, command)
    if resume is not None:
        raise ParameterError("--resume goes with --mode creep")
    if mode == "run" and rig is None:
        raise ParameterError(
            "--mode run needs --rig udp://HOST:PORT; serve one with: dovetail rig serve TEST"
        )
    require_room(test)  # before a folder is made
    target = folder.create(out or folder.next_folder(Path("runs"), f"{file.stem}-{mode}"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print

    stability = test.stability() if mode == "rehearse" else None
    if stability:
        say(str(stability))
    if mode == "run":
        run = run_against(test, rig, key, target if live else None, say)
        target = save_somewhere(run, target)
    else:
        run = with_progress(test, mode, recording)
        folder.save(run, target)  # at once: nothing that comes after can lose it
    say(str(run))
    if mode == "run":
        say(describe(run))
    say(f"written   {target}")

    def judge() -> None:
        ideal = _ideal(run)
        if ideal is not None:
            say(_compared(run, ideal))
        for line in _impacts(run, ideal):
            say(line)
        if report:
            from dovetail.report import write_run

            say(f"report    {write_run(run, target / 'report.html', ideal, stability)}")

    return afterwards(run, target, judge, say)


def afterwards(run: Run, target: Path, judge: Callable[[], None], say: Callable[[str], None]) -> int:
    """What is computed of a run that is saved; the exit code. Whoever interrupts it does not wait for that."""
    interrupted = run.outcome is Outcome.INTERRUPTED
    try:
        if not interrupted:
            judge()
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        say(
            f"report    left out after the interruption; to have it: dovetail report {shlex.quote(str(target))}"
        )
        return EXIT_INTERRUPTED
    return 0 if run.outcome.completed else EXIT_STOPPED


def run_simulation(test: testing.Simulation, name: str, out: Path | None, report: bool) -> int:
    """Simulate a system without a rig, save, print what its system measures; the exit code."""
    require_room(test)
    target = folder.create(out or folder.next_folder(Path("runs"), f"{name}-simulate"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    with progress_bar("simulating") as bar:
        task = bar.add_task("compiling", total=1.0)
        run = test.simulate(lambda share, text: bar.update(task, completed=share, description=text))
    folder.save(run, target)  # at once: nothing that comes after can lose it
    say(str(run))
    if run.outcome in (Outcome.NOT_FINITE, Outcome.VELOCITY):
        say(GREW)
    say(f"written   {target}")

    def judge() -> None:
        measures = getattr(test.system, "measures", None)
        for name, text in measures(run.data).items() if measures else ():
            say(f"  {name:<28} {text}")
        if report:
            from dovetail.report.simulation import write_simulation

            say(f"report    {write_simulation(run, target / 'report.html')}")

    return afterwards(run, target, judge, say)


def progress_bar(doing: str) -> Progress:
    """A bar on the terminal that vanishes when it is done; nothing where no terminal is."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def with_progress(test: testing.Test, mode: str = "rehearse", recording: Path | None = None) -> Run:
    """Run a test in a mode; a bar, which vanishes when it is done, shows how far it is."""
    if mode == "replay" and recording is not None:
        return test.replay(folder.readings(recording))
    with progress_bar("emulating" if mode == "emulate" else "rehearsing") as bar:
        task = bar.add_task("compiling", total=1.0)
        tell = lambda share, text: bar.update(task, completed=share, description=text)  # noqa: E731
        return test.emulate(progress=tell, keep=True) if mode == "emulate" else test.rehearse(tell)


def _ideal(run: Run) -> Run | None:
    """The ideal to compare with, where the test has one and the run is something else."""
    if run.mode == "emulate":
        return None
    try:
        with progress_bar("the ideal to compare with") as bar:
            task = bar.add_task("compiling", total=1.0)
            return run.test.emulate(
                progress=lambda share, text: bar.update(task, completed=share, description=text)
            )
    except AnalysisError:
        return None


def _impacts(run: Run, ideal: Run | None) -> list[str]:
    """The impacts of a run beside those of the ideal, and what spoils them; nothing where none can be."""
    if "depth" not in run.data:
        return []
    from dovetail.fidelity.impacts import coarse_steps, impact_log
    from dovetail.transfer import Quantiser, Series

    found = {"ideal": impact_log(ideal) if ideal is not None else [], run.mode: impact_log(run)}
    lines = ["impacts      start       contact    in   ->  out           peak force   peak depth"]
    lines += [f"  {name:<9}{impact}" for name, log in found.items() for impact in log[:MOST_IMPACTS]]
    deepest = max((impact.peak_depth for impact in found[run.mode]), default=0.0)
    actuator = getattr(run.test.rig, "actuator", None)
    for part in actuator.parts if isinstance(actuator, Series) else (actuator,):
        step = float(np.max(part.resolution)) if isinstance(part, Quantiser) else 0.0
        warning = coarse_steps(step, deepest)
        lines += [f"warning: {warning}"] if warning else []
    return lines if any(found.values()) else ["impacts: none"]


def _compared(run: Run, ideal: Run) -> str:
    try:
        return str(fidelity.compare(run, ideal))
    except AnalysisError as error:
        return f"not compared with the ideal: {error}"
