"""Command `dovetail design`: design a test and write its plan, with the reason of every decision."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from dovetail import testing
from dovetail.app.loading import load_test
from dovetail.app.progress_note import write_note
from dovetail.assess import DesignOptions, accept_proposal, rig_requirements_of_run, write
from dovetail.assess import design as run_design
from dovetail.cli.rig import recording_from
from dovetail.cli.run_options import RunOptions, run_with_progress
from dovetail.cli.saving import save_or_elsewhere
from dovetail.studies.registry import find_test
from dovetail.testing import run_folder

EXIT_NO_GO = 4


def design_test(
    name: str,
    settings: list[str],
    out: Path | None,
    recording: Path | None,
    design_options: DesignOptions,
    ask: bool,
    contact_mass: float | None = None,
    columns: tuple[Any, ...] = (None, None, None, None),
) -> int:
    """Design a test, write its plan and print the decisions; return the exit code, 4 for a no-go.

    For a pseudo-dynamic test or a run folder, print the rig requirements of a real-time test of the same contact.
    """
    if Path(name).is_dir():
        run = run_folder.read_run(Path(name))
        return print_rig_requirements(run, run_folder.create(out) if out else Path(name), contact_mass)
    test: Any = load_test(name, settings, "rehearse")
    stem = find_test(name).stem
    if test.pseudodynamic is not None:
        target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{stem}-rig-requirements"))
        run = run_with_progress(
            test, "pseudodynamic", RunOptions(folder=target), "simulated pseudo-dynamic test"
        )
        target = save_or_elsewhere(run, target)
        return print_rig_requirements(run, target, contact_mass)
    recorded = None if recording is None else recording_from(recording, *columns)
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{stem}-design"))
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    with Console(stderr=True).status("designing") as status:

        def choose(fork: str, proposal: str, options: Mapping[str, str]) -> str:
            status.stop()
            answer = _ask_user(fork, proposal, options, print_line)
            status.start()
            return answer

        def report(text: str) -> None:
            status.update(text)
            write_note("designing", None, text)

        plan = run_design(
            test, design_options, recording=recorded, choose=choose if ask else accept_proposal, report=report
        )
    write(plan, target)
    print_line(str(plan))
    print_line(f"plan      {target / 'plan.md'}\ntest      {target / 'test.toml'}")
    print_line(f"actuator  {target / 'actuator.toml'}")
    return 0 if plan.go else EXIT_NO_GO


def print_rig_requirements(run: testing.Run, target: Path, contact_mass: float | None) -> int:
    """Print and write the rig requirements of a recorded contact; return 4 if no published rig is fast enough."""
    from dovetail.report.rig_requirements import write_rig_requirements

    requirements = rig_requirements_of_run(run, mass=contact_mass)
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    print_line(f"Rig requirements of a real-time test of this contact: {run.title}")
    print_line(str(requirements))
    (target / "rig_requirements.json").write_text(
        json.dumps({**dataclasses.asdict(requirements), "able": requirements.able()}, indent=1), "utf-8"
    )
    page = write_rig_requirements(requirements, run, target / "rig_requirements.html")
    print_line(f"report    {page}\nwritten   {target / 'rig_requirements.json'}")
    return 0 if any(requirements.able().values()) else EXIT_NO_GO


def _ask_user(fork: str, proposal: str, options: Mapping[str, str], print_line) -> str:
    """Ask the user for a decision; an empty answer accepts the proposal."""
    print_line(f"\n{fork}:")
    for text in options.values():
        print_line(f"  {text}")
    while (answer := typer.prompt(f"{fork}", default=proposal)) not in options:
        print_line(f'got "{answer}"; expected one of {", ".join(options)}')
    return answer
