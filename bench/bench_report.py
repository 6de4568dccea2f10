"""Time and size of the report on a run of one minute at 10 kHz with twenty signals.

The command is timed from start to end: reading the folder, reference, stability, error budget (each part of the rig
alone), figures, and writing. It is timed again without the error budget.
"""

import resource
import subprocess
import sys
import time

from sizes import sized

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.studies.registry import find_test

SIGNALS = 20
RATE, DURATION = sized((1e4, 60.0), (1e3, 2.0))  # [Hz], [s]


def recorded(folder):
    """Save a run of CS1 with at least `SIGNALS` signals; return its folder."""
    test = dv.load(find_test("substructuring/cs1"), {"rate": RATE, "duration": DURATION})
    run = test.rehearse()
    data = run.data
    extra = [n for n in dv.core.signals.all_signals() if n not in data and n != "time"]
    for name in extra[: max(0, SIGNALS - len(data.data_vars))]:
        data = data.assign({name: data["measured_force"] * 1.0})
    run = dv.testing.Run(run.test, run.mode, Recording.from_dataset(data), run.outcome)
    assert len(data.data_vars) >= SIGNALS
    assert data.sizes["time"] == round(RATE * DURATION) + 1
    return run.save(folder)


def test_report_of_a_long_run(figure, tmp_path):
    folder = recorded(tmp_path / "minute")
    for label, flag in (("", ()), (", without the error budget", ("--no-error-budget",))):
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "dovetail", "report", str(folder), *flag], check=True)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = (folder / "report.html").stat().st_size / 1e6
        what = f"report: {DURATION:g} s at {RATE / 1000:g} kHz, {SIGNALS} signals{label}"
        figure(what, wall, "s", target=20.0, at_least=False, accuracy=f"{processor:.1f} s of processor time")
        figure(f"{what}, size", size, "MB", target=5.0, at_least=False)
