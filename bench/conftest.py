"""Benchmarks: each one answers one question by a ratio taken in one process, with the accuracy beside it.

A benchmark records its results with the fixture `figure`. A table of them is printed at the end and stored in
`bench/results/figures.json` together with the machine. Compare numbers of the same machine only.
`DOVETAIL_BENCH_SMALL=1` runs every benchmark at small size, to check that it works (see `sizes.py`).
"""

import json
import os
import platform
import sys
from pathlib import Path

import pytest

import dovetail.core  # noqa: F401  (sets float64 before JAX starts)

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))  # benchmarks import `sizes`, and one of them another benchmark

from sizes import SMALL  # noqa: E402

_figures: list[dict] = []


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """At small size, call a timed function once and store nothing; at full size, set no time limit."""
    if SMALL:
        config.option.benchmark_disable, config.option.benchmark_autosave = True, False
    else:
        config.option.timeout = 0


@pytest.fixture
def figure():
    """Record a result: `figure(what, value, unit, target=..., at_least=True, accuracy="...")`."""

    def record(what, value, unit="", *, target=None, at_least=True, accuracy=""):
        met = None if target is None or SMALL else bool(value >= target if at_least else value <= target)
        _figures.append(
            {
                "what": what,
                "value": float(value),
                "unit": unit,
                "target": target,
                "side": "at least" if at_least else "at most",
                "met": met,
                "accuracy": accuracy,
            }
        )

    return record


def pytest_terminal_summary(terminalreporter):
    if not _figures:
        return
    write = terminalreporter.write_line
    write("")
    if SMALL:
        write("Small size: the benchmarks run. Their rates are no measurement; targets are not judged.")
    write(f"{'figure':<66} {'measured':>12} {'':<10} {'target':>18}  accuracy")
    for row in _figures:
        target = "" if row["target"] is None else f"{row['side']} {row['target']:g}"
        mark = {True: "met", False: "MISSED", None: ""}[row["met"]]
        measured = f"{row['value']:>12.4g} {row['unit']:<10}"
        write(f"{row['what']:<66} {measured} {target:>18} {mark:<7} {row['accuracy']}")
    if SMALL:
        return
    results = FOLDER / "results"
    results.mkdir(exist_ok=True)
    machine = {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}
    (results / "figures.json").write_text(
        json.dumps({"machine": machine, "figures": _figures}, indent=2) + "\n"
    )
