"""Command `dovetail demo`: a probe strikes a refuelling drogue off its axis, with a simulated robot cell.

The cell runs in a separate process. It is started first, and the imports of this process run at the same time.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.testing import Run, Test

TEST = "refuelling/full-scale"  # the other two are refuelling/full-scale-100 and -200
OFFSETS = {"50 mm": 0.05, "100 mm": 0.1, "200 mm": 0.2}  # [m]
CELL = "refuelling/cell"
ABOUT = """\
A tanker tows a hose and a drogue; a receiver's probe meets the drogue at 1.5 m/s, off its axis. Flight, hose and
reel are simulated here. A robot cell in another process makes the contact: for every step of 0.5 ms it moves the
nozzle against the drogue, stops, and returns the measured wrench.
"""
LINE = "  {:<8} {:>6} {:>10} {:>9} {:>10} {:>15}  {}"


def demonstrate(out: Path | None) -> int:
    """Run the full-scale test at three offsets against a served cell; return the exit code."""
    start = time.perf_counter()
    with served_cell() as wait_for_cell:
        from rich.console import Console

        from dovetail import testing
        from dovetail.cli.run_options import RunOptions, run_with_progress
        from dovetail.studies.registry import find_test
        from dovetail.testing import run_folder

        print_line = Console(highlight=False, markup=False, soft_wrap=True).print
        target = run_folder.create(out or run_folder.next_folder(Path("runs"), "demo"))
        print_line(f"Aerial refuelling, full scale.\n{ABOUT}")
        base = testing.load(find_test(TEST))
        url = wait_for_cell()
        print_line(f"  cell      {url}\n")
        print_line(
            LINE.format("offset", "moves", "cell time", "rotation", "torque", "hose tension", "outcome")
        )
        runs: dict[str, Run] = {}
        for label, offset in OFFSETS.items():
            test = with_offset(base, offset)
            folder = target / label.replace(" ", "-")
            folder.mkdir()
            options = RunOptions(folder=folder, address=url)
            run = run_with_progress(test, "pseudodynamic", options, f"{label} off the axis")
            run.save(folder)
            runs[label] = run
            print_line(_row(label, run))
    from dovetail.report.drogue_animation import animate
    from dovetail.report.html import write_page
    from dovetail.report.pseudodynamic import pseudodynamic_page

    labels = [f"{label} above the axis" for label in runs]
    animation = animate(list(runs.values()), labels, target / "refuelling.gif")
    page = pseudodynamic_page(
        list(runs.values()), labels, "A probe strikes a refuelling drogue off its axis", animation=animation
    )
    report = write_page(page, target / "report.html")
    print_line(f"\nreport    {report}\nanimation {animation}\nwritten   {target}")
    print_line(f"took      {time.perf_counter() - start:.1f} s")
    return 0


def with_offset(test: Test, offset: float) -> Test:
    """Return the test with the nozzle `offset` [m] above the axis of the drogue."""
    import numpy as np

    assert test.pseudodynamic is not None
    home = np.array(test.pseudodynamic.home_pose)
    home[2] = -offset
    values = {
        "numerical.receiver.offset": offset,
        "rig.specimen.initial_position": home[:3],
        "pseudodynamic.home_pose": home,
    }
    title = re.sub(r"\d+ mm", f"{1e3 * offset:.0f} mm", test.title)
    return test.with_values(**values, title=title)


@contextlib.contextmanager
def served_cell() -> Iterator:
    """Start a cell in a separate process; yield a function that waits for the cell and returns its address."""
    words = [sys.executable, "-m", "dovetail", "rig", "serve", CELL, "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    stdout = process.stdout

    def wait() -> str:
        address = re.search(r"tcp://\S+:\d+", stdout.readline())
        if address is None:
            from dovetail.core.errors import LinkError

            raise LinkError("the robot cell of the demonstration did not start; see its messages above")
        return address[0]

    try:
        yield wait
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()
        stdout.close()


def _row(label: str, run: Run) -> str:
    import numpy as np

    from dovetail.testing import Outcome
    from dovetail.testing.pseudodynamic.estimate import format_duration

    data = run.data
    tip = np.rad2deg(data["drogue_attitude_change"].values[:, 0])
    torque = np.linalg.norm(data["measured_force"].values[:, 3:], axis=1).max()
    tension = data["end_tension"].values
    outcome = "latched" if run.outcome is Outcome.LATCHED else run.outcome.value
    return LINE.format(
        label,
        data.attrs["moves"],
        format_duration(data.attrs["cell_seconds"]),
        f"{tip[np.argmax(np.abs(tip))]:+.1f} deg",
        f"{torque:.0f} N m",
        f"{tension.min():.0f}..{tension.max():.0f} N",
        f"stopped: {run.trip}" if run.trip else outcome,
    )
