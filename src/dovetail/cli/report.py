"""Commands `dovetail report` and `dovetail compare`: reports of recorded runs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console

from dovetail import fidelity
from dovetail.cli.progress import progress
from dovetail.core.errors import DovetailError, OutputError, ParameterError, value_or_none
from dovetail.report import Page, RunView, rehearsals_page, write_run
from dovetail.report.html import write_page
from dovetail.report.stretches import assess_run
from dovetail.testing import Run, run_folder
from dovetail.testing.cached_reference import reference_of
from dovetail.testing.modes import mode_named

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
BROWSER_TIMEOUT = 120  # [s] timeout of the browser that prints a page


def report(recorded: Path, out: Path | None, error_budget: bool, pdf: bool, interactive: bool = False) -> int:
    """Write the report of a run or a campaign; return the exit code."""
    target = out or recorded / ("interactive.html" if interactive else "report.html")
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    if (recorded / "campaign.toml").is_file():
        from dovetail.report.campaign import write_campaign

        if interactive:
            raise ParameterError(
                f"--interactive: {recorded} is a campaign without 3-D playback; remove the option or give a run folder"
            )
        written = write_campaign(recorded, target)
        print_line(f"report    {written}")
        if pdf:
            print_line(f"printed   {print_pdf(written)}")
        return 0
    run = run_folder.read_run(recorded)
    if not run.outcome.completed:
        print_line(str(run))
    with progress("reporting", "reference solution and stability") as update_progress:
        reference_run = reference_of(run, recorded)
        contributions = (
            value_or_none(lambda: fidelity.contributions(run.test, reference_run, update_progress))
            if error_budget and reference_run
            else None
        )
        written = write_run(run, target, reference_run, budget=contributions or [], interactive=interactive)
    print_line(f"report    {written}")
    if pdf:
        print_line(f"printed   {print_pdf(written)}")
    return 0


def compare(recorded: list[Path], out: Path | None, pdf: bool) -> int:
    """Write one report that compares several recorded runs; return the exit code."""
    if len(recorded) < 2:
        raise ParameterError(f"RUNS: got {len(recorded)} run folder. Expected two or more")
    runs = [run_folder.read_run(each) for each in recorded]
    kinds = {mode_named(run.mode).report for run in runs}
    if len(kinds) > 1:
        mixed = ", ".join(sorted({run.mode for run in runs}))
        raise ParameterError(
            f"RUNS: got modes {mixed}. Expected only hybrid tests, only simulations or only pseudo-dynamic tests"
        )
    page, lines = COMPARISONS[kinds.pop()](runs, recorded)
    written = write_page(page, out or Path("comparison.html"))
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    for line in lines:
        print_line(line)
    print_line(f"report    {written}")
    if pdf:
        print_line(f"printed   {print_pdf(written)}")
    return 0


def _compare_tests(runs: list[Run], folders: list[Path]) -> tuple[Page, list[str]]:
    """Return the comparison of several runs of one test, and a line for each."""
    named = zip(runs, _labels(folders), folders, strict=True)
    views = [_run_view(run, label, folder) for run, label, folder in named]
    lines = [
        f"{view.label:<28} {run.outcome.value}{_error_text(view)}"
        for view, run in zip(views, runs, strict=True)
    ]
    return rehearsals_page(f"{runs[0].title}: comparison of {len(runs)} runs", views), lines


def _compare_simulations(runs: list[Run], folders: list[Path]) -> tuple[Page, list[str]]:
    """Return the comparison of several simulations, and its verdict."""
    from dovetail.report.overlay import simulations_page

    title = f"{runs[0].title}: comparison of {len(runs)} simulations"
    page = simulations_page(title, _labels(folders), runs)
    return page, [page.verdict.sentence]


def _compare_pseudodynamic(runs: list[Run], folders: list[Path]) -> tuple[Page, list[str]]:
    """Return the comparison of several pseudo-dynamic tests."""
    from dovetail.report.pseudodynamic import pseudodynamic_page

    return pseudodynamic_page(runs, _labels(folders), "Comparison of pseudo-dynamic tests"), []


def _labels(folders: list[Path]) -> list[str]:
    return [folder.resolve().name for folder in folders]


COMPARISONS = {  # by kind of report
    "test": _compare_tests,
    "simulation": _compare_simulations,
    "pseudodynamic": _compare_pseudodynamic,
}


def print_pdf(page: Path) -> Path:
    """Print a page as PDF with an installed browser; return the file."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    target = page.with_suffix(".pdf")
    if browser is None:
        raise OutputError(
            f"{target.name}: cannot be written without a browser (searched for {', '.join(BROWSERS)}); "
            f"install chromium, or open {page} and print it to a file"
        )
    with tempfile.TemporaryDirectory() as profile:
        flags = ["--headless", "--disable-gpu", "--no-sandbox", "--no-pdf-header-footer"]
        arguments = [
            f"--user-data-dir={profile}",
            f"--print-to-pdf={target.resolve()}",
            page.resolve().as_uri(),
        ]
        try:
            result = subprocess.run(
                [browser, *flags, *arguments],
                capture_output=True,
                text=True,
                timeout=BROWSER_TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise OutputError(f"{browser}: printing {page} took longer than {BROWSER_TIMEOUT} s") from error
    if not target.is_file():
        raise OutputError(f"{browser}: cannot print {page}: {result.stderr.strip()[-300:]}")
    return target


def _run_view(run: Run, label: str, folder: Path) -> RunView:
    stability, reason = assess_run(run)
    return RunView(run, reference_of(run, folder), stability, label, why=reason)


def _error_text(view: RunView) -> str:
    if view.reference is None:
        return ""
    try:
        return f" Response error {fidelity.compare(view.run, view.reference).text('rms.e1')}."
    except DovetailError:
        return ""
