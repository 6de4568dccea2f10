"""Command `dovetail campaign`: compute a parameter study into a store, with progress, and print its analyses."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import Any

from rich.console import Console

from dovetail import campaign as campaigns
from dovetail.app.loading import parse_settings
from dovetail.cli.progress import progress
from dovetail.cli.run import EXIT_INTERRUPTED
from dovetail.testing import run_folder as folders


def run_campaign(
    name: str,
    settings: list[str],
    out: Path | None,
    resume: Path | None,
    workers: int,
    cluster: str | None,
    analyse_only: bool = False,
) -> int:
    """Compute and analyse a campaign; return the exit code, 1 if a point or an analysis failed."""
    from dovetail.studies.registry import find_campaign

    file = find_campaign(name)
    if analyse_only:
        return repeat_analyses(file, out)
    plan = campaigns.load(file, parse_settings(settings))
    if resume is not None and out is not None:
        from dovetail.core.errors import ParameterError

        raise ParameterError("--out: not used with --resume DIR, which continues in DIR; remove one of them")
    target = resume or out or folders.next_folder(Path("runs"), f"{file.stem}-campaign")
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    print_line(plan.title or file.stem)
    with (
        _executor(workers, cluster) as executor,
        progress("computing", "compiling", remaining=False) as update_progress,
    ):

        def show(p: campaigns.Progress) -> None:
            left = "" if not math.isfinite(p.left) else f", {_format_time(p.left)} left"
            summary = f"{p.done} of {p.total} points, {p.rate:.3g} /s{left}"
            update_progress(p.done / p.total, summary + (f", {p.failed} failed" if p.failed else ""))

        done = campaigns.run(plan, target, resume=resume is not None, executor=executor, progress=show)
    print_line(str(done))
    print_line(f"written   {target}")
    if done.interrupted:
        command = f"dovetail campaign {shlex.quote(name)} --resume {shlex.quote(str(target))}"
        for setting in settings:
            command += f" --set {shlex.quote(setting)}"
        print_line(f"interrupted; continue with: {command}")
        return EXIT_INTERRUPTED
    summary = campaigns.analyse(target)
    for line in summary:
        print_line(line)
    print_line(f"report with figures: dovetail report {shlex.quote(str(target))}")
    return 1 if done.failed or summary.failures else 0


def repeat_analyses(file: Path, folder: Path | None) -> int:
    """Repeat the analyses of a campaign file on the results in a folder and store the analyses; compute no points."""
    from dovetail.campaign import analyses
    from dovetail.core.errors import Fault, ParameterError, TestFileError
    from dovetail.core.toml_file import read_toml

    if folder is None:
        raise ParameterError("--analyse-only: requires --out with the folder of the campaign")
    store = campaigns.Store.resume(folder)
    analyses_table = read_toml(file, "campaign file").get("analysis", [])
    faults = analyses.find_faults(analyses_table, None, store.campaign.design_kind)
    if faults or not analyses_table:
        raise TestFileError(
            file.name, faults or [Fault("analysis", "no analyses in this file; add [[analysis]]")]
        )
    store.set_analyses(analyses_table)
    summary = campaigns.analyse(folder)
    print("\n".join(summary))
    return 1 if summary.failures else 0


def _executor(workers: int, cluster: str | None) -> Any:
    from contextlib import nullcontext

    if not workers and not cluster:
        return nullcontext(None)
    from dovetail.campaign.cluster import connect

    return connect(cluster, workers)


def _format_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
