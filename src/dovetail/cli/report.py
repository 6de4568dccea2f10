"""`dovetail report` and `dovetail compare`: pages on what earlier runs recorded."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console

from dovetail import fidelity
from dovetail.cli.progress import telling
from dovetail.core.errors import DovetailError, OutputError, ParameterError, answer_or_reason, answered
from dovetail.report import RunView, write, write_run
from dovetail.testing import Run, run_folder
from dovetail.testing.cached_reference import ideal_of

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PATIENCE = 120  # [s] that a browser may take to print a page


def report(recorded: Path, out: Path | None, budget: bool, pdf: bool, interactive: bool = False) -> int:
    """Write the page on one recorded run; the exit code."""
    target = out or recorded / ("interactive.html" if interactive else "report.html")
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    if (recorded / "campaign.toml").is_file():
        from dovetail.report.campaign import write_campaign

        if interactive:
            raise ParameterError(
                f"{recorded}: a campaign has no run to play; leave --interactive out, or name one run"
            )
        written = write_campaign(recorded, target)
        say(f"report    {written}")
        if pdf:
            say(f"printed   {printed(written)}")
        return 0
    run = run_folder.read(recorded)
    with telling("reporting", "the ideal and the stability") as tell:
        ideal = ideal_of(run, recorded)
        asked = answered(lambda: fidelity.contributions(run.test, ideal, tell)) if budget and ideal else None
        written = write_run(run, target, ideal, budget=asked or [], interactive=interactive)
    say(f"report    {written}")
    if pdf:
        say(f"printed   {printed(written)}")
    return 0


def compare(recorded: list[Path], out: Path | None, pdf: bool) -> int:
    """Write one page on several recorded runs, side by side; the exit code."""
    if len(recorded) < 2:
        raise ParameterError(f"compare: got {len(recorded)} run; give the folders of two or more")
    runs = [run_folder.read(each) for each in recorded]
    modes = {run.mode for run in runs}
    target = out or Path("comparison.html")
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    labels = [each.resolve().name for each in recorded]
    if modes == {"creep"}:
        from dovetail.report.pseudodynamic import creep_page

        written = creep_page(runs, labels, "Creep tests side by side").write(target)
    elif modes == {"simulate"}:
        from dovetail.report.overlay import simulations_page

        page = simulations_page(f"{runs[0].title}: {len(runs)} simulations side by side", labels, runs)
        written = page.write(target)
        say(page.verdict.sentence)
    elif modes & {"creep", "simulate"}:
        mixed = ", ".join(sorted(modes))
        raise ParameterError(
            f"compare: got {mixed}; give hybrid tests, or simulations, or creep tests, not a mixture"
        )
    else:
        views = [
            _view(run, *each) for run, each in zip(runs, zip(labels, recorded, strict=True), strict=True)
        ]
        written = write(target, f"{runs[0].title}: {len(runs)} runs side by side", views)
        for view, run in zip(views, runs, strict=True):
            say(f"{view.label:<28} {run.outcome.value}{_error(view)}")
    say(f"report    {written}")
    if pdf:
        say(f"printed   {printed(written)}")
    return 0


def printed(page: Path) -> Path:
    """The page as PDF, printed by a browser that is there."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    target = page.with_suffix(".pdf")
    if browser is None:
        raise OutputError(
            f"{target.name}: no browser found to print with (looked for {', '.join(BROWSERS)}); "
            f"open {page} and print it to a file, or install chromium"
        )
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless", "--disable-gpu", "--no-sandbox", "--no-pdf-header-footer"]
        where = [f"--user-data-dir={profile}", f"--print-to-pdf={target.resolve()}", page.resolve().as_uri()]
        try:
            said = subprocess.run(
                [browser, *flags, *where], capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise OutputError(f"{browser}: did not print {page} within {PATIENCE} s") from error
    if not target.is_file():
        raise OutputError(f"{browser}: could not print {page}: {said.stderr.strip()[-300:]}")
    return target


def _view(run: Run, label: str, place: Path) -> RunView:
    stability, why = answer_or_reason(run.test.stability)
    return RunView(run, ideal_of(run, place), stability, label, why=why)


def _error(view: RunView) -> str:
    if view.ideal is None:
        return ""
    try:
        found = fidelity.compare(view.run, view.ideal)
    except DovetailError:
        return ""
    return f" Error against the ideal {100 * float(np.nanmax(found.rms['e1'])):.3g} %."
