"""Records on disk: does storing them delay the real-time loop, and how fast is a long recording written and read?

The lateness is that of one test on the rig in C, in turns with records in memory and with records on disk, synchronised
ten times per second. DOVETAIL_BENCH_SECONDS sets the length of the real-time tests (default: 60 s).
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from sizes import sized

import dovetail as dv
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.recording_file import MARGIN, RecordingFile
from dovetail.links import RealTimeSettings
from dovetail.links.native import available
from dovetail.studies.registry import find_test
from dovetail.testing import begin_run, record_store

SECONDS = float(os.environ.get("DOVETAIL_BENCH_SECONDS", sized(60, 1)))
ROOT = Path(__file__).resolve().parents[1]
COMPILER = shutil.which("cc") or shutil.which("gcc")
QUANTILES = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}
TURNS = sized(3, 1)


@pytest.fixture(scope="module")
def c_rig(tmp_path_factory):
    """Start the reference rig in C in another process; yield its address."""
    program = tmp_path_factory.mktemp("rig") / "rig"
    subprocess.run(
        [COMPILER, "-O2", "-o", program, ROOT / "examples" / "rig_in_c" / "rig.c", "-lm"], check=True
    )
    command = [program, "--port", "0", "--stiffness", "2250", "--lag", "0", "--link-timeout", "60"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield f"udp://127.0.0.1:{process.stdout.readline().split()[1]}"
    process.terminate()
    process.wait(10)
    process.stdout.close()


@pytest.mark.skipif(bool(available()) or COMPILER is None, reason="no C compiler")
def test_lateness_with_and_without_records_on_disk(figure, c_rig, tmp_path):
    seconds = round(max(SECONDS / TURNS / 2, 1.0))
    changes = {"rate": 1000.0, "duration": seconds, "limits.link_timeout": 2000}
    test = dv.load(find_test("substructuring/cs1"), changes)
    late = {"memory": [], "disk": []}
    for turn in range(TURNS):
        for where, values in late.items():
            is_stored = where == "disk"
            store = begin_run(test, "realtime", tmp_path / f"{turn}", sync=True) if is_stored else None
            run = test.run_realtime(c_rig, real_time=RealTimeSettings(native=True), store=store)
            values.append(run.recording["tick_lateness"].values[1:])
    for word, q in QUANTILES.items():
        memory, disk = (1e6 * np.quantile(np.concatenate(values), q) for values in late.values())
        figure(f"lateness {word}, records in memory", memory, "us")
        figure(f"lateness {word}, records on disk", disk, "us", accuracy=f"memory {memory:.1f} us")


def test_a_long_recording(figure, tmp_path):
    """Time to write and to read 36 million samples of 20 signals, in blocks as a run has them."""
    ticks, block = sized(36_000_000, 36_000), 36_000
    rows = {f"s{i}": np.random.default_rng(i).normal(size=block) for i in range(20)}
    signals = {name: RecordedSignal(values) for name, values in rows.items()}
    first = Recording(signals, {"time": RecordedSignal(1e-3 * np.arange(block))}, {"mode": "rehearse"})
    start = time.perf_counter()
    with RecordingFile(tmp_path / "result.nc", first, MARGIN) as file:
        for number in range(1, ticks // block):
            file.append({**rows, "time": 1e-3 * np.arange(number * block, (number + 1) * block)})
        file.sync()
    written = time.perf_counter() - start
    size = (tmp_path / "result.nc").stat().st_size
    figure("written", size / written / 1e6, "MB/s", accuracy=f"{size / 1e9:.2f} GB in {written:.1f} s")
    test = dv.Test(dv.mechanics.Oscillator(m=1.0, c=1.0, k=1.0), rate=1000.0, duration=ticks / 1000.0)
    start = time.perf_counter()
    thinned = record_store.load(tmp_path / "result.nc", test)
    figure(
        "read as every n-th sample",
        size / (time.perf_counter() - start) / 1e6,
        "MB/s",
        accuracy=f"{thinned.sizes['time']} samples",
    )
