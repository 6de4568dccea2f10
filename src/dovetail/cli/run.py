"""`dovetail run` and `dovetail check`: from a name and a few settings to a run's folder."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w

from dovetail import fidelity, testing
from dovetail.cli.progress import telling
from dovetail.cli.rig import describe, run_against, save_somewhere
from dovetail.cli.shortened import short_toml
from dovetail.core import roles
from dovetail.core.errors import AnalysisError, Fault, OutputError, ParameterError, TestFileError, answered
from dovetail.core.renamed import new_name, remark
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome
from dovetail.testing.limit_monitor import MODES
from dovetail.testing.remarks import remarks
from dovetail.testing.runnable import Runnable
from dovetail.testing.test_file import read_table

if TYPE_CHECKING:
    from dovetail.testing import Run

EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130
GREW = (
    "  what grows so fast is often the integration: raise rate or substeps, or take an implicit method "
    '(method = { kind = "bdf2" })'
)
MOST_IMPACTS = 12  # of each kind on the terminal


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
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


def check_test(name: str, settings: list[str], whole: bool = False) -> None:
    """Print the resolved test with remarks above it, or all that is wrong with it; long arrays whole or shortened."""
    file = find_test(name)
    table = read_table(file, parse_settings(settings))
    test = testing.parse(table, file.name)
    for line in remarks(test, table):
        print(f"# {line}")
    print((tomli_w.dumps if whole else short_toml)(testing.dump(test)), end="")


def able(name: str, loaded: Any, mode: str | None = None) -> Any:
    """What a file holds, if it can be run, and in that mode.

    Raises
    ------
    ParameterError
        With the sentence that says why not, and what can be done with it.
    """
    if isinstance(loaded, testing.ChartFile):
        raise ParameterError(
            f"{name}: is a map, in which nothing moves; compute it with: dovetail run {name}"
        )
    if not isinstance(loaded, Runnable):
        raise ParameterError(f"{name}: is a robot cell; serve it with: dovetail rig serve {name}")
    if mode is not None and (why := loaded.why_not(mode)):
        can = ", ".join(each for each in MODES if not loaded.why_not(each))
        raise ParameterError(f"{name}: {why}. It can be run by {can}, not by {mode}")
    return loaded


def runnable(name: str, settings: Sequence[str] = (), mode: str | None = None) -> Any:
    """The test or simulation of that name, if it can be run in that mode."""
    return able(name, testing.load(find_test(name), parse_settings(settings)), mode)


def run_test(
    name: str,
    mode: str | None,
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
    from rich.console import Console

    from dovetail.testing import run_folder
    from dovetail.testing.memory_estimate import require_room

    _refuse_mixed(mode, recording, rig, resume)
    file = find_test(name)
    with telling("reading", file.name):
        test = testing.load(file, parse_settings(settings))
    if isinstance(test, testing.ChartFile) and mode is None:
        from dovetail.cli.map import run_chart

        return run_chart(test, file.stem, out, report)
    test = able(name, test, mode)
    mode = mode or test.USUAL
    _refuse_unused(mode, recording, rig, key)
    require_room(test)  # before a folder is made
    target = resume or run_folder.create(out or run_folder.next_folder(Path("runs"), f"{file.stem}-{mode}"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print

    with telling("the outlook"):
        stability = answered(test.stability) if mode == "rehearse" else None
    if stability:
        say(str(stability))
    if mode == "creep" and resume is None:
        from dovetail.testing.pseudodynamic.estimate import estimate

        say(str(estimate(test)))
    if live and mode in ("run", "creep"):
        say(f"watch     dovetail view {target}")
    if mode == "run":
        assert rig is not None  # refused above
        run = run_against(test, rig, key, target if live else None)
    elif mode == "creep":
        from dovetail.cli.pseudodynamic import creep_with_progress

        run = creep_with_progress(test, target, rig, key, resume is not None, live=live)
    else:
        run = with_progress(test, mode, recording)
    target = save_somewhere(run, target)  # at once: nothing that comes after can lose it
    say(str(run))
    for line in _told(run):
        say(line)
    say(f"written   {target}")
    if mode == "creep" and not run.outcome.completed:
        say(f"go on     {_resuming(name, settings, {'--resume': target, '--rig': rig, '--key': key})}")
    return afterwards(run, target, lambda: _judge(run, target, stability, report, say), say)


def _resuming(name: str, settings: Sequence[str], options: Mapping[str, object]) -> str:
    """The command that goes on with a creep test."""
    words = ["dovetail", "run", name, *(word for s in settings for word in ("--set", s)), "--mode", "creep"]
    words += [str(word) for option in options.items() if option[1] is not None for word in option]
    return shlex.join(words)


def _judge(run: Run, target: Path, stability: Any, report: bool, say: Callable[[str], Any]) -> None:
    """A run held against its ideal, on the terminal and, if asked for, in its report."""
    from dovetail.testing.cached_reference import ideal_of

    with telling("the ideal to compare with") as tell:
        ideal = ideal_of(run, target, tell)
    if ideal is not None:
        say(_compared(run, ideal))
    for line in _impacts(run, ideal):
        say(line)
    if report:
        with telling("the report", "drawing"):
            from dovetail.report import write_run

            page = write_run(
                run, target / "report.html", ideal, stability, phones=False
            )  # beside a run: at once
        say(f"report    {page}")


def _refuse_mixed(mode: str | None, recording: Path | None, rig: str | None, resume: Path | None) -> None:
    """Modes that are not there, and options that a mode needs or has no use for."""
    if mode is not None and mode not in MODES:
        raise ParameterError(
            f'--mode: got "{mode}"; {remark(new_name("modes", mode)) or "one of " + ", ".join(MODES)}'
        )
    if mode == "replay" and recording is None:
        raise ParameterError("--mode replay needs --recording with the folder of an earlier run")
    if resume is not None and mode != "creep":
        raise ParameterError("--resume goes with --mode creep")
    if resume is not None and not resume.is_dir():
        raise OutputError(f"{resume}: is no folder; --resume takes the folder of a creep test")
    if mode == "run" and rig is None:
        raise ParameterError(
            "--mode run needs --rig udp://HOST:PORT; serve one with: dovetail rig serve TEST"
        )


def _refuse_unused(mode: str, recording: Path | None, rig: str | None, key: Path | None) -> None:
    """What was given and would not be used: nobody is to take a rehearsal for a run on her rig."""
    if rig is not None and mode not in ("run", "creep"):
        raise ParameterError(
            f"--rig: {mode} has no use for {rig}; add --mode run, or --mode creep for a robot cell"
        )
    if key is not None and rig is None:
        raise ParameterError(f"--key: {key} is the key of a rig; name it with --rig")
    if recording is not None and mode != "replay":
        raise ParameterError(f"--recording: {mode} has no use for {recording}; add --mode replay")


def _told(run: Run) -> list[str]:
    """What a mode has to say of its run: its clock and link, its moves, what its system measures."""
    if run.mode == "run":
        return [describe(run)]
    if run.mode == "creep":
        from dovetail.cli.pseudodynamic import summary

        return [summary(run)]
    if run.mode != "simulate":
        return []
    measures = roles.measured(run.test.numerical, run.data)
    lines = [f"  {name:<28} {text}" for name, text in measures.items()]
    return [GREW, *lines] if run.outcome in (Outcome.NOT_FINITE, Outcome.VELOCITY) else lines


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


def with_progress(test: Any, mode: str, recording: Path | None = None) -> Run:
    """Run a test in a mode; a bar, which vanishes when it is done, shows how far it is."""
    if mode == "replay" and recording is not None:
        from dovetail.testing.run_folder import readings

        return test.replay(readings(recording))
    doing = {"emulate": "emulating", "rehearse": "rehearsing"}.get(mode, "simulating")
    with telling(doing) as tell:
        return test.emulate(progress=tell, keep=True) if mode == "emulate" else testing.rehearse(test, tell)


def _impacts(run: Run, ideal: Run | None) -> list[str]:
    """The impacts of a run beside those of the ideal, and what spoils them; nothing where none can be."""
    if "depth" not in run.data:
        return []
    from dovetail.fidelity.impacts import coarse_steps, impact_log
    from dovetail.transfer import Quantiser, Series

    try:
        found = {"ideal": impact_log(ideal) if ideal is not None else [], run.mode: impact_log(run)}
    except AnalysisError as error:  # the run is there all the same, and its report is to come
        return [f"impacts: no answer, as {error}"]
    lines = ["impacts      start       contact    in   ->  out           peak force   peak depth"]
    lines += [f"  {name:<9}{impact}" for name, log in found.items() for impact in log[:MOST_IMPACTS]]
    deepest = max((impact.peak_depth for impact in found[run.mode]), default=0.0)
    actuator = run.test.rig.actuator if isinstance(run.test.rig, testing.Rig) else None
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
