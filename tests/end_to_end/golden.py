"""Golden runs: record every test of every study on one tree, and compare the recordings of two trees.

    python tests/end_to_end/golden.py baseline DIR                  # of the commit before the redesign, `BASELINE`
    python tests/end_to_end/golden.py record DIR [--only PATTERN]   # of this tree
    python tests/end_to_end/golden.py compare OLD NEW [--tolerance 1e-12]

A recording holds, for every hybrid test and simulation and for every mode it allows, all signals, their units, the
outcome and the limit that was met; for every hybrid test also its stability assessment. Tests are shortened to
`TICKS` ticks, or as many as `LONGER` says; pseudo-dynamic runs to `SLOW_TICKS` (each tick is a move of the virtual
cell), or as many as `SLOW_LONGER` says.

Not recorded: real-time runs (they depend on the wall clock), parameter maps (`kind = "map"`), and robot cells by
themselves (`kind = "cell"`).

The recordings are not committed: processors differ in the last bit. Programs are compiled without optimisation and
without the cache of compiled programs. Without optimisation the compiler does not contract multiplications and
additions, so equal operations give equal bits whatever the order in which a renamed signal places them.

`RENAMED` maps the names of the baseline to today's. An old name that is still in use is accepted.
Only `golden_interface.py` (this tree) and `golden_interface_baseline.py` (the baseline) call Dovetail.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import json
import math
import os
import platform
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

BASELINE = "4e61acac"  # the last commit before the redesign
HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
INTERFACE = HERE / "golden_interface.py"
BASELINE_INTERFACE = HERE / "golden_interface_baseline.py"
TICKS = 2000
SLOW_TICKS = 400
LONGER = {  # by test: ticks until something touches; at most `SAMPLES` of them are kept, evenly spaced
    "docking/hil-1dof": 36_000,
    "docking/impact-1dof": 60_000,
    "docking/impact-4": 4_500,
    "docking/six-dof": 40_000,
    "docking/six-dof-hexapod": 40_000,
    "docking/six-dof-passivity": 40_000,
    "docking/six-dof-worst": 40_000,
}
SLOW_LONGER = {  # the same for pseudo-dynamic runs
    "docking/impact-4": 4_500,
    "docking/testbed": 1_500,
    "refuelling/drop": 2_000,
    "refuelling/full-scale": 2_000,
    "refuelling/full-scale-100": 2_000,
    "refuelling/full-scale-200": 2_000,
    "refuelling/scaled": 2_000,
    "refuelling/validation": 2_000,
}
SAMPLES = 4000
TIMEOUT = 900.0  # [s] for one test in all its modes
KINDS = ("test", "simulation")
STABILITY = "stability"  # recorded like a mode
ENVIRONMENT = {
    "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1",
    "JAX_COMPILATION_CACHE_DIR": "",  # no cache
    "JAX_PLATFORMS": "cpu",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NPROC": "1",
}

# Old names on the left stay as they were at the baseline. Do not rename them.
RENAMED: dict[str, dict[str, str]] = {
    "test": {},
    "mode": {"emulate": "reference", "creep": "pseudodynamic", "run": "realtime"},
    "outcome": {
        "TRACKING": "TRACKING_ERROR",
        "GROWTH": "GROWTH_RATE",
        "ENERGY": "INTERFACE_ENERGY",
        "CONTACT": "CONTACT_ENERGY",
        "STALE": "FROZEN_SENSOR",
        "JOINED": "DOCKED",
        "PARTED": "SEPARATED",
    },
    "signal": {
        "force": "feedback_force",
        "depth": "penetration",
        "contact_gain": "contact_energy_gain",
        "still_readings": "frozen_samples",
        "near_contact": "contact_gate",
        "contact_move": "move_number",
        "dials": "tunable_values",
        "reading_age": "measurement_age",
        "penetration": "foot_penetration",
        "event_depth": "event_penetration",
        "drive_way": "drive_deflection",
        "slip": "slip_speed",
        "work_ledger": "work_by_source",
        "load_wrench": "air_wrench",
        "interface_load": "gear_wrench",
        "contact_point": "bristle_anchor",
        "solver_count": "solver_steps",
        "contact_heat": "contact_dissipation",
        "friction_heat": "friction_dissipation",
        "middle_displacement": "mass_displacement",
        "uncompensated_inertia": "residual_inertia_force",
        "measured_share": "measured_fraction",
        "final_order_share": "final_order_fraction",
        "paid_back_energy": "passivity_dissipation",
        "tipping": "drogue_attitude_change",
        "flap": "tip_path_angles",
        "inflow": "induced_velocity",
    },
    STABILITY: {
        "delay": "rig_delay",
        "half_tick": "force_hold_delay",
        "command_hold": "command_hold_delay",
        "frequency": "critical_frequency",
        "islands": "stable_intervals",
        "near_rest": "small_motion_only",
        "compensated": "has_compensation",
        "roots": "poles",
    },
}


# Recording


def test_names(tree: Path, only: str) -> list[str]:
    """Names of the tests of a tree that can be run, read from their files."""
    files = sorted((tree / "src/dovetail/studies").glob("*/tests/*.toml"))
    names = {f"{file.parents[1].name}/{file.stem}": file for file in files}
    kinds = {name: tomllib.loads(file.read_text("utf-8")).get("kind", "test") for name, file in names.items()}
    return [name for name, kind in kinds.items() if kind in KINDS and _chosen(name, only)]


def record(
    folder: Path, names: Iterable[str], tree: Path = TREE, interface: Path = INTERFACE, workers: int = 1
) -> None:
    """Record tests in worker processes, one test at a time; a crash costs one test."""
    names = list(names)
    folder.mkdir(parents=True, exist_ok=True)
    _write_json(folder / "about.json", _about(tree))
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)
    done: list[str] = []
    threads = [
        threading.Thread(target=_serve, args=(folder, waiting, done, len(names), tree, interface))
        for _ in range(workers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _serve(
    folder: Path, waiting: queue.SimpleQueue[str], done: list[str], number: int, tree: Path, interface: Path
) -> None:
    """Have the waiting tests recorded by a worker process, which is started again after a crash."""
    process: subprocess.Popen[str] | None = None
    while True:
        try:
            name = waiting.get_nowait()
        except queue.Empty:
            break
        if process is None or process.poll() is not None:
            process = _worker(folder, tree, interface)
        assert process.stdin is not None
        assert process.stdout is not None
        begin = time.monotonic()
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.start()
        try:
            process.stdin.write(name + "\n")
            process.stdin.flush()
            said = next((line for line in process.stdout if line.startswith("recorded: ")), "")
        except BrokenPipeError:
            said = ""
        timer.cancel()
        if not said:
            code = process.wait()
            said = f"recorded: the process ended with code {code}"
            _write_json(_place(folder, name, "crash").with_suffix(".json"), {"error": said})
        done.append(name)
        took = time.monotonic() - begin
        text = said.removeprefix("recorded: ").strip()
        print(f"[{len(done)}/{number}] {name}: {took:.0f} s; {text}", flush=True)
    if process is not None and process.stdin is not None:
        process.stdin.close()
        process.wait()


def _worker(folder: Path, tree: Path, interface: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(tree / "src")}
    command = [sys.executable, str(Path(__file__).resolve()), "work", str(folder.resolve())]
    with (folder / "log.txt").open("a") as log:
        return subprocess.Popen(
            [*command, "--tree", str(tree), "--interface", str(interface)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=tree,
            env=environment,
        )


def work(folder: Path, tree: Path, interface: Path) -> None:
    """Record the tests named on the standard input."""
    api = _import(interface)
    import dovetail

    source = Path(dovetail.__file__ or "").resolve()
    if not source.is_relative_to((tree / "src").resolve()):
        sys.exit(f"golden: the source is {source}, expected one below {tree}")
    for line in sys.stdin:
        name = line.strip()
        try:
            said = record_test(folder, name, api)
        except Exception as error:
            said = f"error: {type(error).__name__}: {error}"
            _write_json(_place(folder, name, "crash").with_suffix(".json"), {"error": said})
        print("recorded:", " ".join(said.split()), flush=True)


def record_test(folder: Path, name: str, api: Any, ticks: int = TICKS, slow_ticks: int = SLOW_TICKS) -> str:
    """Record a test in every mode and its stability; return a summary in one line."""
    shutil.rmtree(folder / name, ignore_errors=True)
    said, begin = [], time.monotonic()
    for mode, run in api.runs(name, LONGER.get(name, ticks), SLOW_LONGER.get(name, slow_ticks)):
        took, begin = time.monotonic() - begin, time.monotonic()
        place = _place(folder, name, mode)
        if isinstance(run, str):
            _write_json(place.with_suffix(".json"), {"refused": run})
        elif isinstance(run, Exception):
            _write_json(place.with_suffix(".json"), {"error": f"{type(run).__name__}: {run}"})
            said.append(f"{mode} ERROR {type(run).__name__}")
        else:
            signals, units, outcome, trip = api.recorded(run)
            signals = {signal: thinned(values) for signal, values in signals.items()}
            save(place, signals, {"units": units, "outcome": outcome, "trip": trip, "seconds": took})
            said.append(f"{mode} {outcome.lower()} {len(signals['time'])} samples {took:.1f} s")
    assessed, place = api.stability(name), _place(folder, name, STABILITY)
    if isinstance(assessed, str):
        _write_json(place.with_suffix(".json"), {"refused": assessed})
    else:
        numbers = {field: np.asarray(value) for field, value in assessed.items()}
        numbers = {field: value for field, value in numbers.items() if value.dtype.kind in "bifc"}
        save(place, numbers, {"seconds": time.monotonic() - begin})
        said.append(STABILITY)
    return ", ".join(said)


def thinned(values: np.ndarray) -> np.ndarray:
    """Every n-th sample of a long recording, and the last one."""
    every = -(-len(values) // SAMPLES)
    return values if every == 1 else np.concatenate([values[::every], values[-1:]])


def save(place: Path, signals: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Write signals to `place`.npz and the rest to `place`.json."""
    place.parent.mkdir(parents=True, exist_ok=True)
    np.savez(place.with_suffix(".npz"), **{name: np.asarray(values) for name, values in signals.items()})
    _write_json(place.with_suffix(".json"), about)


def baseline(folder: Path, only: str, workers: int) -> None:
    """Record the baseline commit, from its own source in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="golden-") as temporary:
        tree = Path(temporary)
        archive = subprocess.run(
            ["git", "archive", BASELINE, "src", "pyproject.toml"], cwd=TREE, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", temporary], input=archive.stdout, check=True)
        metadata = (
            tree / "src" / "dovetail-0.1.0.dist-info"
        )  # the baseline asks for its former distribution name
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: dovetail\nVersion: 0.1.0\n", "utf-8")
        record(folder, test_names(tree, only), tree, BASELINE_INTERFACE, workers)


def _about(tree: Path) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=tree, capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip() or BASELINE,
        "ticks": [TICKS, SLOW_TICKS],
        "flags": ENVIRONMENT["XLA_FLAGS"],
        "machine": f"{platform.node()} {platform.machine()}",
        "versions": {name: version(name) for name in ("jax", "jaxlib", "equinox", "numpy", "scipy")},
    }


def _place(folder: Path, name: str, mode: str) -> Path:
    return folder / name / mode


def _write_json(file: Path, content: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _import(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Comparing


def compare(old: Path, new: Path, only: str = "*", tolerance: float = 0.0) -> list[tuple[str, str, bool]]:
    """Compare two recordings: for every test and mode its name, what was found, and whether that is accepted."""
    before, after = _pairs(old, only), _pairs(new, only)
    for key in ("flags", "machine", "versions", "ticks"):
        one, other = (_read_json(folder / "about.json").get(key) for folder in (old, new))
        if one != other:
            print(f"note: {key} differs: {one} and {other}")
    lines, met = [], set()
    for test, mode in before:
        pair = (_renamed("test", test, before, after), _renamed("mode", mode, before, after))
        pair = next((p for p in (pair, (pair[0], mode), (test, pair[1]), (test, mode)) if p in after), pair)
        label = f"{pair[0]} {pair[1]}"
        if pair not in after:
            lines.append((label, "MISSING", False))
            continue
        met.add(pair)
        lines.append((label, *_compared(old / test / mode, new / pair[0] / pair[1], mode, tolerance)))
    lines += [(f"{test} {mode}", "new", True) for test, mode in after if (test, mode) not in met]
    return sorted(lines)


def _compared(old: Path, new: Path, mode: str, tolerance: float) -> tuple[str, bool]:
    """What was found for one test and mode, and whether it is accepted."""
    before, after = (_read_json(place.with_suffix(".json")) for place in (old, new))
    for key in ("refused", "error"):
        if key in before and key in after:
            return f"{key} in both", True
        if key in after:
            return f"{key.upper()} NOW: {after[key]}", False
        if key in before:
            return f"{key} before, runs now", True
    found, worst = [], 0.0
    for key in ("outcome", "trip"):
        found += _differences(key, before.get(key), after.get(key), tolerance)
    was, now = (dict(np.load(place.with_suffix(".npz"))) for place in (old, new))
    table, sizes, same = STABILITY if mode == STABILITY else "signal", [], True
    taken = set()
    for name, values in was.items():
        other = renamed(table, name, was, now)
        if other not in now:
            found.append(f"{other} is missing")
            continue
        taken.add(other)
        if (unit := before.get("units", {}).get(name)) != (is_now := after.get("units", {}).get(other)):
            found.append(f"{other} has unit {is_now}, had {unit}")
        if values.shape != now[other].shape:
            found.append(f"{other} has shape {now[other].shape}, had {values.shape}")
            continue
        same &= values.dtype == now[other].dtype and values.tobytes() == now[other].tobytes()
        sizes.append((difference(values, now[other]), other))
    text = [*found]
    if sizes and (worst := max(sizes)[0]) > 0:
        beyond = sum(size > tolerance for size, _ in sizes)
        text.append(
            f"largest difference {worst:.3g} in {max(sizes)[1]}, {beyond} of {len(sizes)} signals beyond"
        )
    elif not found:
        text.append("equal to the bit" if same else "equal")
    if added := sorted(set(now) - taken):
        text.append(f"new: {', '.join(added)}")
    return "; ".join(text), not found and worst <= tolerance


def _differences(key: str, old: Any, new: Any, tolerance: float) -> list[str]:
    """Differences of outcome and trip; their names may be renamed."""
    if isinstance(old, dict) and isinstance(new, dict):
        fields = sorted(set(old) | set(new))
        return [d for f in fields for d in _differences(f"{key}.{f}", old.get(f), new.get(f), tolerance)]
    if isinstance(old, float) and isinstance(new, float | int):
        return [] if difference(np.asarray(old), np.asarray(new)) <= tolerance else [f"{key} {old} -> {new}"]
    table = "outcome" if key == "outcome" else "signal"
    accepted = (old, RENAMED[table].get(old, old)) if isinstance(old, str) else (old,)
    return [] if new in accepted else [f"{key} {old} -> {new}"]


def difference(old: np.ndarray, new: np.ndarray) -> float:
    """Largest difference as a fraction of the old magnitude; infinite where only one is finite."""
    old, new = np.atleast_1d(old), np.atleast_1d(new)
    finite = np.isfinite(old)
    if not np.array_equal(old[~finite], new[~finite], equal_nan=True) or not np.isfinite(new[finite]).all():
        return math.inf
    if not finite.any():
        return 0.0
    kind = complex if "c" in (old.dtype.kind, new.dtype.kind) else float
    was, now = old[finite].astype(kind), new[finite].astype(kind)
    size, error = float(np.abs(was).max()), float(np.abs(now - was).max())
    return error / size if size else (math.inf if error else 0.0)


def renamed(table: str, name: str, old: Iterable[str], new: Iterable[str]) -> str:
    """The name that a signal of the old recording has in the new one.

    A new name may be the old name of another signal (`penetration`); then the old name is tried first.
    """
    other = RENAMED[table].get(name, name)
    first, second = (name, other) if other in old else (other, name)
    return first if first in new else second if second in new else other


def _renamed(table: str, name: str, old: Any, new: Any) -> str:
    place = 0 if table == "test" else 1
    return renamed(table, name, {pair[place] for pair in old}, {pair[place] for pair in new})


def _pairs(folder: Path, only: str) -> list[tuple[str, str]]:
    """Tests and modes of a recording."""
    files = sorted(folder.glob("*/*/*.json"))
    return [(name, file.stem) for file in files if _chosen(name := "/".join(file.parts[-3:-1]), only)]


def _chosen(name: str, only: str) -> bool:
    return fnmatch.fnmatch(name, only) or only in name


def _read_json(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def main(arguments: list[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (("record", "record this tree"), ("baseline", f"record commit {BASELINE}")):
        command = commands.add_parser(name, help=about)
        command.add_argument("folder", type=Path)
        command.add_argument("--only", default="*", help="tests whose name contains or matches this")
        command.add_argument("--workers", type=int, default=1, help="worker processes (default: 1)")
    worker = commands.add_parser("work", help="worker process of the others")
    worker.add_argument("folder", type=Path)
    worker.add_argument("--tree", type=Path, required=True)
    worker.add_argument("--interface", type=Path, required=True)
    command = commands.add_parser("compare", help="compare two recordings")
    command.add_argument("old", type=Path)
    command.add_argument("new", type=Path)
    command.add_argument("--only", default="*", help="tests whose name contains or matches this")
    command.add_argument(
        "--tolerance", type=float, default=0.0, help="fraction of each signal's size (default: 0)"
    )
    given = parser.parse_args(arguments)
    if given.command == "work":
        work(given.folder, given.tree, given.interface)
    elif given.command == "record":
        record(given.folder, test_names(TREE, given.only), workers=given.workers)
    elif given.command == "baseline":
        baseline(given.folder, given.only, given.workers)
    else:
        lines = compare(given.old, given.new, given.only, given.tolerance)
        for label, text, accepted in lines:
            print(f"{'' if accepted else 'DIFFERS '}{label}: {text}")
        counts = Counter(accepted for _, _, accepted in lines)
        print(f"{counts[True]} accepted, {counts[False]} differ")
        return 1 if counts[False] or not lines else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
