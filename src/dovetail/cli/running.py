"""`dovetail run` and `dovetail check`: from a name and a few settings to a run's folder."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from dovetail import fidelity, testing
from dovetail.core.errors import Fault, ParameterError, TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome, Run, folder

EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130
MODES = ("emulate", "rehearse", "replay")


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
    """Print the resolved test, or all that is wrong with it."""
    test = testing.load(find_test(name), parse_settings(settings))
    print(tomli_w.dumps(testing.dump(test)), end="")


def run_test(
    name: str, mode: str, settings: list[str], out: Path | None, recording: Path | None, report: bool
) -> int:
    """Run, save, print what was found; the exit code."""
    console = Console()
    if mode not in MODES:
        raise ParameterError(f'--mode: got "{mode}"; one of {", ".join(MODES)}')
    if mode == "replay" and recording is None:
        raise ParameterError("--mode replay needs --recording with the folder of an earlier run")
    file = find_test(name)
    test = testing.load(file, parse_settings(settings))
    target = folder.create(out or folder.next_folder(Path("runs"), f"{file.stem}-{mode}"))

    run = _run(test, mode, recording, console)
    folder.save(run, target)
    console.print(str(run), markup=False, highlight=False)
    ideal = _ideal(test, mode, console)
    if report:
        from dovetail.report import write_run

        write_run(run, target / "report.html", ideal=ideal)
        console.print(f"report   {target / 'report.html'}", markup=False, highlight=False)
    console.print(f"written  {target}", markup=False, highlight=False)
    if run.outcome is Outcome.INTERRUPTED:
        return EXIT_INTERRUPTED
    return 0 if run.outcome.completed else EXIT_STOPPED


def _run(test: testing.Test, mode: str, recording: Path | None, console: Console) -> Run:
    if mode == "emulate":
        return test.emulate()
    if mode == "replay":
        assert recording is not None
        return test.replay(folder.read(recording))
    console.print(str(test.stability()), markup=False, highlight=False)
    columns = (TextColumn("rehearsing"), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("compiling", total=1.0)
        return test.rehearse(lambda share, text: bar.update(task, completed=share, description=text))


def _ideal(test: testing.Test, mode: str, console: Console) -> Run | None:
    """The ideal to compare with, and the comparison printed."""
    return None


__all__ = ["check_test", "fidelity", "parse_settings", "run_test"]
