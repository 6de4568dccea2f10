"""How long does the report on a minute at 10 kHz with twenty signals take, and how large is it?

The whole command is timed as a user waits for it: reading the folder, the ideal, the stability, the error budget (each
part of the rig alone), figures, and writing. Then once more without the budget.
"""

import resource
import subprocess
import sys
import time

import dovetail as dv
from dovetail.studies.registry import find_test

SIGNALS = 20


def recorded(folder):
    """A minute of CS1 at 10 kHz, with as many signals as asked for."""
    test = dv.load(find_test("substructuring/cs1"), {"rate": 1e4, "duration": 60.0})
    run = test.rehearse()
    data = run.data
    extra = [n for n in dv.core.signals.known() if n not in data and n != "time"]
    for name in extra[: max(0, SIGNALS - len(data.data_vars))]:
        data = data.assign({name: data["measured_force"] * 1.0})
    run = dv.testing.Run(run.test, run.mode, data, run.outcome)
    assert len(data.data_vars) >= SIGNALS
    assert data.sizes["time"] == 600_001
    return run.save(folder)


def test_report_of_a_minute(figure, tmp_path):
    folder = recorded(tmp_path / "minute")
    for label, flag in (("", ()), (", without the budget", ("--no-budget",))):
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "dovetail", "report", str(folder), *flag], check=True)
        took, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = (folder / "report.html").stat().st_size / 1e6
        what = f"report: 60 s at 10 kHz, {SIGNALS} signals{label}"
        figure(what, took, "s", target=20.0, at_least=False, accuracy=f"{spent:.1f} s of processor time")
        figure(f"{what}, size", size, "MB", target=5.0, at_least=False)
