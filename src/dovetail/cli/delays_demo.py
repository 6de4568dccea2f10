"""`dovetail demo --study substructuring`: one hybrid test at three delays, from comfortable to unstable."""

from __future__ import annotations

import math
import time
from pathlib import Path

from rich.console import Console

from dovetail import fidelity, testing
from dovetail.cli.run import with_progress
from dovetail.cli.three_delays import draw
from dovetail.core.errors import AnalysisError
from dovetail.report import RunView, write
from dovetail.studies.registry import find_test
from dovetail.testing import Run, Stability, run_folder

DELAYS = {"comfortable": 3.0e-3, "near the critical delay": 6.2e-3, "beyond it": 9.4e-3}  # [s]
ABOUT = """\
A mass on a spring is simulated; a second spring is the specimen, moved by an actuator that is late.
Lateness acts as negative damping: beyond a critical delay the test shakes itself apart.
"""
LEGEND = """
  margin     delay that the sampled loop would still bear, or has too much: the actuator's and half a tick count
  growth     of the sampled loop as it runs; positive is unstable
  rig error  rms of the demand's deviation from the ideal, over the part that was run
"""
LINE = "  {:<24} {:>8} {:>10} {:>12} {:>10}  {}"


def demonstrate(out: Path | None) -> int:
    """Rehearse CS1 at three delays, print a summary, write the run folders and a report."""
    began = time.perf_counter()
    say = Console(highlight=False, markup=False, soft_wrap=True).print
    target = run_folder.create(out or run_folder.next_folder(Path("runs"), "demo"))
    base = testing.load(find_test("substructuring/cs1"))
    say(f"{base.title}.\n{ABOUT}")
    views: list[RunView] = []
    cases: dict[str, tuple[float, Run, Run]] = {}
    for label, delay in DELAYS.items():
        title = f"CS1, actuator {1e3 * delay:.1f} ms late"
        test = base.with_values(**{"rig.actuator.delay": delay, "title": title})
        stability, run, ideal = test.stability(), with_progress(test, "rehearse"), test.emulate()
        run.save(target / label.replace(" ", "-"))
        if not views:
            say(f"  critical delay {1e3 * stability.critical_delay:.2f} ms at {stability.frequency:.2f} Hz\n")
            say(LINE.format("case", "delay", "margin", "growth", "rig error", "outcome"))
        say(_line(label, delay, stability, run, ideal))
        views.append(RunView(run, ideal, stability, label))
        cases[label] = delay, run, ideal
    picture = draw(cases, target / "three-delays.svg")
    report = write(target / "report.html", "One hybrid test at three delays", views)
    say(LEGEND)
    say(f"report    {report}\npicture   {picture}\nwritten   {target}")
    say(f"took      {time.perf_counter() - began:.1f} s")
    return 0


def _line(label: str, delay: float, stability: Stability, run: Run, ideal: Run) -> str:
    try:
        error = f"{100 * float(fidelity.compare(run, ideal).rms['e1']):.1f} %"
    except AnalysisError:
        error = "-"
    outcome = run.outcome.value if run.trip is None else f"stopped: {run.trip}"
    verdict = "stable" if stability.stable else "unstable"
    margin = f"{1e3 * stability.margin:+.2f} ms" if math.isfinite(stability.margin) else "-"
    growth = f"{stability.growth_rate:+.2f} 1/s"
    return LINE.format(label, f"{1e3 * delay:.1f} ms", margin, growth, error, f"{verdict}; {outcome}")
