"""`dovetail design`: from a test as imagined to a plan, with every decision explained."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from dovetail import testing
from dovetail.assess import Wishes, accept, need_of, write
from dovetail.assess import design as walk
from dovetail.cli.progress import note
from dovetail.cli.pseudodynamic import creep_with_progress
from dovetail.cli.rig import recording_in
from dovetail.cli.run import runnable
from dovetail.studies.registry import find_test
from dovetail.testing import run_folder

EXIT_NO_GO = 4


def design_test(
    name: str,
    settings: list[str],
    out: Path | None,
    recording: Path | None,
    wishes: Wishes,
    ask: bool,
    mass: float | None = None,
    columns: tuple[Any, ...] = (None, None, None, None),
) -> int:
    """Walk the four steps, write the plan, print the decisions; the exit code is 4 for a no-go.

    Of a creep test, or of the folder of a recorded run, the answer is what a real-time test of it would need.
    """
    if Path(name).is_dir():
        run = run_folder.read(Path(name))
        return real_time(run, run_folder.create(out) if out else Path(name), mass)
    test: Any = runnable(name, settings, "rehearse")
    stem = find_test(name).stem
    if test.stepping is not None:
        target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{stem}-need"))
        run = creep_with_progress(test, target, None, None, False, "creeping on its virtual rig")
        run_folder.save(run, target)
        return real_time(run, target, mass)
    recorded = None if recording is None else recording_in(recording, *columns)
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), f"{stem}-design"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    with Console(stderr=True).status("designing") as status:

        def choose(fork: str, proposal: str, options: Mapping[str, str]) -> str:
            status.stop()
            answer = _asked(fork, proposal, options, say)
            status.start()
            return answer

        def tell(text: str) -> None:
            status.update(text)
            note("designing", None, text)

        made = walk(test, wishes, recording=recorded, choose=choose if ask else accept, tell=tell)
    write(made, target)
    say(str(made))
    say(f"plan      {target / 'plan.md'}\ntest      {target / 'test.toml'}")
    say(f"actuator  {target / 'actuator.toml'}")
    return 0 if made.go else EXIT_NO_GO


def real_time(run: testing.Run, target: Path, mass: float | None) -> int:
    """Print and write what a real-time test of a recorded contact would need; 4 where nothing known is quick enough."""
    from dovetail.report.rig_requirements import write_need

    need = need_of(run, mass=mass)
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    say(f"What a real-time test of this contact would need: {run.title}")
    say(str(need))
    (target / "need.json").write_text(
        json.dumps({**dataclasses.asdict(need), "able": need.able()}, indent=1), "utf-8"
    )
    say(f"report    {write_need(need, run, target / 'need.html')}\nwritten   {target / 'need.json'}")
    return 0 if any(need.able().values()) else EXIT_NO_GO


def _asked(fork: str, proposal: str, options: Mapping[str, str], say) -> str:
    """The user's choice at a fork; an empty answer takes the proposal."""
    say(f"\n{fork}:")
    for text in options.values():
        say(f"  {text}")
    while (answer := typer.prompt(f"{fork}", default=proposal)) not in options:
        say(f'no "{answer}"; one of {", ".join(options)}')
    return answer
