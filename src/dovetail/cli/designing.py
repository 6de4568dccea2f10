"""`dovetail design`: from a test as imagined to a plan, with every decision explained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer
from rich.console import Console

from dovetail import testing
from dovetail.cli.running import parse_settings
from dovetail.core.errors import AnalysisError
from dovetail.design import Wishes, accept, write
from dovetail.design import design as walk
from dovetail.studies.registry import find_test
from dovetail.testing import Test, folder

EXIT_NO_GO = 4


def design_test(
    name: str,
    settings: list[str],
    out: Path | None,
    recording: Path | None,
    wishes: Wishes,
    ask: bool,
) -> int:
    """Walk the four steps, write the plan, print the decisions; the exit code is 4 for a no-go."""
    file = find_test(name)
    test = testing.load(file, parse_settings(settings))
    if not isinstance(test, Test):
        raise AnalysisError(f"{name}: is a simulation without a rig; there is no hybrid test to design")
    recorded = None if recording is None else folder.read(recording)
    target = folder.create(out or folder.next_folder(Path("runs"), f"{file.stem}-design"))
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    with Console(stderr=True).status("designing") as status:

        def choose(fork: str, proposal: str, options: Mapping[str, str]) -> str:
            status.stop()
            answer = _asked(fork, proposal, options, say)
            status.start()
            return answer

        made = walk(test, wishes, recording=recorded, choose=choose if ask else accept, tell=status.update)
    write(made, target)
    say(str(made))
    say(f"plan      {target / 'plan.md'}\ntest      {target / 'test.toml'}")
    return 0 if made.go else EXIT_NO_GO


def _asked(fork: str, proposal: str, options: Mapping[str, str], say) -> str:
    """The user's choice at a fork; an empty answer takes the proposal."""
    say(f"\n{fork}:")
    for text in options.values():
        say(f"  {text}")
    while (answer := typer.prompt(f"{fork}", default=proposal)) not in options:
        say(f'no "{answer}"; one of {", ".join(options)}')
    return answer
