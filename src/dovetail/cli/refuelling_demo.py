"""`dovetail demo`: a refuelling drogue struck off its axis, held by robots in a process of their own.

The cell's process is started first; what this one needs is imported while that one starts.
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
reel are simulated here. The contact is made by a robot cell in another process: for every step of half a
millisecond it moves nozzle against drogue, rests, and answers with the wrench it feels.
"""
LINE = "  {:<8} {:>6} {:>10} {:>9} {:>10} {:>15}  {}"


def demonstrate(out: Path | None) -> int:
    """Run the full-scale test at three offsets against a served cell; print outcomes, write folders and a report."""
    began = time.perf_counter()
    with served_cell() as waiting:
        from rich.console import Console

        from dovetail import testing
        from dovetail.cli.pseudodynamic import creep_with_progress
        from dovetail.studies.registry import find_test
        from dovetail.testing import run_folder

        say = Console(highlight=False, markup=False, soft_wrap=True).print
        target = run_folder.create(out or run_folder.next_folder(Path("runs"), "demo"))
        say(f"Aerial refuelling, full scale.\n{ABOUT}")
        base = testing.load(find_test(TEST))
        url = waiting()
        say(f"  cell      {url}\n")
        say(LINE.format("offset", "moves", "cell time", "tipping", "torque", "hose tension", "outcome"))
        runs: dict[str, Run] = {}
        for label, offset in OFFSETS.items():
            test = struck_at(base, offset)
            place = target / label.replace(" ", "-")
            place.mkdir()
            run = creep_with_progress(test, place, url, None, False, f"{label} off the axis")
            run.save(place)
            runs[label] = run
            say(_line(label, run))
    from dovetail.report.drogue_animation import animate
    from dovetail.report.pseudodynamic import creep_page

    labels = [f"{label} above the axis" for label in runs]
    moving = animate(list(runs.values()), labels, target / "refuelling.gif")
    page = creep_page(
        list(runs.values()), labels, "A probe strikes a refuelling drogue off its axis", animation=moving
    )
    report = page.write(target / "report.html")
    say(f"\nreport    {report}\nanimation {moving}\nwritten   {target}")
    say(f"took      {time.perf_counter() - began:.1f} s")
    return 0


def struck_at(test: Test, offset: float) -> Test:
    """The test with the nozzle at another height above the drogue's axis [m]."""
    import numpy as np

    assert test.stepping is not None
    home = np.array(test.stepping.home)
    home[2] = -offset
    values = {"numerical.receiver.offset": offset, "rig.specimen.home": home[:3], "stepping.home": home}
    title = re.sub(r"\d+ mm", f"{1e3 * offset:.0f} mm", test.title)
    return test.with_values(**values, title=title)


@contextlib.contextmanager
def served_cell() -> Iterator:
    """A cell in a process of its own; yields a function that waits for it and gives its address."""
    words = [sys.executable, "-m", "dovetail", "rig", "serve", CELL, "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    stdout = process.stdout

    def wait() -> str:
        found = re.search(r"tcp://\S+:\d+", stdout.readline())
        if found is None:
            from dovetail.core.errors import LinkError

            raise LinkError("the robot cell of the demonstration did not start; what it says stands above")
        return found[0]

    try:
        yield wait
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()
        stdout.close()


def _line(label: str, run: Run) -> str:
    import numpy as np

    from dovetail.testing import Outcome
    from dovetail.testing.pseudodynamic.estimate import describe_time

    data = run.data
    tip = np.rad2deg(data["tipping"].values[:, 0])
    torque = np.linalg.norm(data["measured_force"].values[:, 3:], axis=1).max()
    tension = data["end_tension"].values
    outcome = "latched" if run.outcome is Outcome.LATCHED else run.outcome.value
    return LINE.format(
        label,
        data.attrs["moves"],
        describe_time(data.attrs["cell_seconds"]),
        f"{tip[np.argmax(np.abs(tip))]:+.1f} deg",
        f"{torque:.0f} N m",
        f"{tension.min():.0f}..{tension.max():.0f} N",
        f"stopped: {run.trip}" if run.trip else outcome,
    )
