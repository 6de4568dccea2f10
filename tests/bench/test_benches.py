"""Every benchmark runs at small size: a benchmark that nothing runs breaks with the next renamed function."""

import importlib
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
FILES = sorted(file.name for file in BENCH.glob("bench_*.py"))
pytestmark = pytest.mark.skipif(not FILES, reason="the benchmarks are not part of the installed package")


def environment() -> dict[str, str]:
    """Return the environment of a small benchmark, without the settings of this test session."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return own | {"DOVETAIL_BENCH_SMALL": "1"}


def run(*command: str, timeout: float) -> str:
    """Return what a command printed; it must end with exit code 0."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_benchmark_runs_at_small_size(name):
    results = BENCH / "results" / "figures.json"
    before = results.read_bytes() if results.is_file() else None
    options = ("-rs", "-p", "no:cacheprovider", "-o", "python_files=bench_*.py")
    printed = run("-m", "pytest", *options, f"bench/{name}", timeout=900)
    assert (results.read_bytes() if results.is_file() else None) == before, "a small result was stored"
    assert "MISSED" not in printed, "a small rate was judged"
    if not re.search(r"\d+ passed", printed):
        pytest.skip("; ".join(re.findall(r"^SKIPPED.*?: (.*)$", printed, re.M)))


def test_campaign_on_a_device_runs_on_the_processor(tmp_path):
    printed = run("bench/gpu_campaign.py", "--out", str(tmp_path / "out.json"), timeout=300)
    assert printed.startswith("device: ")
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    values = {row["what"]: row["value"] for row in written["figures"]}
    for start in (
        "ceiling: memory",
        "ceiling: arithmetic",
        "docking with one axis",
        "hose of 20 links",
        "hose (",
    ):
        assert any(what.startswith(start) for what in values), start
    assert all(math.isfinite(value) and value > 0 for value in values.values()), values


def test_every_helper_of_the_benchmarks_is_used():
    helpers = {
        file
        for file in BENCH.iterdir()
        if file.is_file() and file.name not in {*FILES, "conftest.py", "gpu_campaign.py"}
    }
    text = {file: file.read_text("utf-8") for file in BENCH.glob("*.py")}
    for helper in helpers:
        names = (
            rf"\b{helper.name}\b"
            if helper.suffix != ".py"
            else rf"\b({helper.name}\b|from {helper.stem} import)"
        )
        assert any(re.search(names, text[file]) for file in text if file != helper), (
            f"nothing uses {helper.name}"
        )


def test_counted_functions_exist():
    """A counted function that was renamed would add its time to computing."""
    spec = importlib.util.spec_from_file_location("time_profile", BENCH / "time_profile.py")
    spent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(spent)
    names = [
        (module, name)
        for module in spent.HOOKS
        for name in spent.HOOKS[module]
        if module.startswith("dovetail")
    ]
    assert names
    for module, name in names:
        assert callable(getattr(importlib.import_module(module), name)), f"{module}.{name}"
