"""Command `dovetail demo --study substructuring`: one hybrid test at three delays, from stable to unstable."""

from __future__ import annotations

import math
import time
from pathlib import Path

from rich.console import Console

from dovetail import fidelity, testing
from dovetail.cli.run_options import run_with_progress
from dovetail.cli.three_delays import draw
from dovetail.core.errors import AnalysisError
from dovetail.core.si_prefix import value_text
from dovetail.report import RunView, write
from dovetail.studies.registry import find_test
from dovetail.testing import Run, Stability, run_folder

DELAYS = {
    "large margin": 3.0e-3,
    "near the critical delay": 6.2e-3,
    "above the critical delay": 9.4e-3,
}  # [s]
ABOUT = """\
A mass on a spring is simulated. A second spring is the specimen, moved by an actuator with delay.
Delay acts as negative damping: above the critical delay the test is unstable.
"""
LEGEND = """
  margin     delay margin of the sampled loop, after actuator delay and half a tick of force hold
  growth     growth rate of the sampled loop; positive: unstable
  error      response error (rms) until the end of the run
"""
LINE = "  {:<24} {:>8} {:>10} {:>12} {:>10}  {}"


def demonstrate(out: Path | None) -> int:
    """Rehearse CS1 at three delays, print a summary, write run folders and a report; return the exit code."""
    start = time.perf_counter()
    print_line = Console(highlight=False, markup=False, soft_wrap=True).print
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), "demo"))
    base = testing.load(find_test("substructuring/cs1"))
    print_line(f"{base.title}.\n{ABOUT}")
    views: list[RunView] = []
    cases: dict[str, tuple[float, Run, Run]] = {}
    for label, delay in DELAYS.items():
        title = f"CS1, actuator delay {1e3 * delay:.1f} ms"
        test = base.with_values(**{"rig.actuator.delay": delay, "title": title})
        stability, run, reference_run = (
            test.stability(),
            run_with_progress(test, "rehearse"),
            test.reference(),
        )
        run.save(target / label.replace(" ", "-"))
        if not views:
            print_line(
                f"  critical delay {value_text(stability.critical_delay, 's')} "
                f"at {value_text(stability.critical_frequency, 'Hz')}\n"
            )
            print_line(LINE.format("case", "delay", "margin", "growth", "error", "outcome"))
        print_line(_row(label, delay, stability, run, reference_run))
        views.append(RunView(run, reference_run, stability, label))
        cases[label] = delay, run, reference_run
    picture = draw(cases, target / "three-delays.svg")
    report = write(target / "report.html", "One hybrid test at three delays", views)
    print_line(LEGEND)
    print_line(f"report    {report}\nfigure    {picture}\nwritten   {target}")
    print_line(f"took      {time.perf_counter() - start:.1f} s")
    return 0


def _row(label: str, delay: float, stability: Stability, run: Run, reference_run: Run) -> str:
    try:
        error = fidelity.compare(run, reference_run).text("rms.e1")
    except AnalysisError:
        error = "-"
    outcome = run.outcome.value if run.trip is None else f"stopped: {run.trip}"
    verdict = "stable" if stability.stable else "unstable"
    margin = value_text(stability.margin, "s") if math.isfinite(stability.margin) else "-"
    growth = value_text(stability.growth_rate, "1/s")
    return LINE.format(label, value_text(delay, "s"), margin, growth, error, f"{verdict}; {outcome}")
