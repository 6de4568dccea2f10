"""Benchmarks: each answers one question, as a ratio in one run, with accuracy beside it.

A benchmark notes its figures with the fixture `figure`; they are printed as a table at the end and kept in
`bench/results/figures.json` with the machine they were taken on. Numbers compare on one machine only.
"""

import json
import os
import platform
from pathlib import Path

import pytest

import dovetail.core  # noqa: F401  (float64, and whole loops as one function, before JAX starts)

_figures: list[dict] = []


@pytest.fixture
def figure():
    """Note a figure: `figure(what, value, unit, target=..., at_least=True, accuracy="...")`."""

    def note(what, value, unit="", *, target=None, at_least=True, accuracy=""):
        met = None if target is None else bool(value >= target if at_least else value <= target)
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

    return note


def pytest_terminal_summary(terminalreporter):
    if not _figures:
        return
    write = terminalreporter.write_line
    write("")
    write(f"{'figure':<66} {'measured':>12} {'':<10} {'target':>18}  accuracy")
    for row in _figures:
        target = "" if row["target"] is None else f"{row['side']} {row['target']:g}"
        mark = {True: "met", False: "MISSED", None: ""}[row["met"]]
        measured = f"{row['value']:>12.4g} {row['unit']:<10}"
        write(f"{row['what']:<66} {measured} {target:>18} {mark:<7} {row['accuracy']}")
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    machine = {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}
    (folder / "figures.json").write_text(
        json.dumps({"machine": machine, "figures": _figures}, indent=2) + "\n"
    )
