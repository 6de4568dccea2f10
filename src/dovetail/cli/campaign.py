"""`dovetail campaign`: from a file to a store of results, with a bar, and what it says."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any

from rich.console import Console

from dovetail import campaign as campaigns
from dovetail.cli.progress import telling
from dovetail.cli.run import EXIT_INTERRUPTED, parse_settings
from dovetail.testing import run_folder as folders


def run_campaign(
    name: str,
    settings: list[str],
    out: Path | None,
    resume: bool,
    workers: int,
    cluster: str | None,
    answers: bool = False,
) -> int:
    """Compute, store, print what was found; the exit code is 1 if points failed or a question cannot be answered."""
    from dovetail.studies.registry import find_campaign

    file = find_campaign(name)
    if answers:
        return answer_again(file, out)
    plan = campaigns.load(file, parse_settings(settings))
    target = out or folders.next_folder(Path("runs"), f"{file.stem}-campaign")
    if resume and out is None:
        from dovetail.core.errors import ParameterError

        raise ParameterError("--resume needs --out with the folder of the campaign to go on with")
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    say(plan.title or file.stem)
    with _executor(workers, cluster) as executor, telling("computing", "compiling", remaining=False) as tell:

        def show(p: campaigns.Progress) -> None:
            left = "" if not math.isfinite(p.left) else f", {_time(p.left)} left"
            told = f"{p.done} of {p.total} points, {p.rate:.3g} /s{left}"
            tell(p.done / p.total, told + (f", {p.failed} failed" if p.failed else ""))

        done = campaigns.run(plan, target, resume=resume, executor=executor, progress=show)
    say(str(done))
    say(f"written   {target}")
    if done.interrupted:
        again = f"dovetail campaign {shlex.quote(name)} --out {shlex.quote(str(target))} --resume"
        for setting in settings:
            again += f" --set {shlex.quote(setting)}"
        say(f"interrupted; go on with: {again}")
        return EXIT_INTERRUPTED
    told = campaigns.analyse(target)
    for line in told:
        say(line)
    say(f"a page with pictures: dovetail report {shlex.quote(str(target))}")
    return 1 if done.failed or told.unanswered else 0


def answer_again(file: Path, folder: Path | None) -> int:
    """Print the answers to a file's questions from what a folder holds, and keep the questions; nothing is computed."""
    from dovetail.campaign import analyses
    from dovetail.core.errors import Fault, ParameterError, TestFileError
    from dovetail.core.toml_file import read_toml

    if folder is None:
        raise ParameterError("--answers needs --out with the folder of the campaign to ask")
    store = campaigns.Store.resume(folder)
    asked = read_toml(file, "campaign file").get("answers", [])
    found = analyses.faults(asked, None, store.campaign.kind)
    if found or not asked:
        raise TestFileError(
            file.name, found or [Fault("answers", "there are none; write them as [[answers]]")]
        )
    store.ask(asked)
    told = campaigns.analyse(folder)
    print("\n".join(told))
    return 1 if told.unanswered else 0


def _executor(workers: int, cluster: str | None) -> Any:
    from contextlib import nullcontext

    if not workers and not cluster:
        return nullcontext(None)
    from dovetail.campaign.cluster import connected

    return connected(cluster, workers)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
