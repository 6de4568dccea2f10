"""Processor time of commands: the first time on a machine, and again.

Each command runs in a fresh process; the processor time of its children is included. The first time no compiled
programs exist; the later time is the best of two. The time of a notebook ends with its result. Beside each figure stand
the shares of importing, tracing, compiling and drawing (`time_profile.py`).
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from sizes import sized

COMMAND = "from dovetail.cli.main import main; main()"  # as `time_profile.py` runs it
NOTEBOOK = """
import dovetail as dv
test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
    excitation=dv.Sine(amplitude=0.012, frequency=3.0),
    rate=1000.0,
    duration=2.0,
)
assert test.rehearse().outcome.completed
"""
ANSWERED = "import os; os._exit(0)"  # a notebook does not wait for the end of the process
CREEP = ["run", "refuelling/full-scale", "--mode", "pseudodynamic", "--no-live"]
COMMANDS = {  # name: code, arguments, targets [s] the first time and again
    "dovetail --help": (COMMAND, ["--help"], None, 0.3),
    "dovetail list": (COMMAND, ["list"], None, 0.3),
    "dovetail check substructuring/cs1": (COMMAND, ["check", "substructuring/cs1"], 2.5, 1.5),
    "dovetail run substructuring/cs1": (COMMAND, ["run", "substructuring/cs1"], 6.0, 3.0),
    "dovetail run refuelling/full-scale --mode pseudodynamic": (COMMAND, CREEP, 15.0, 8.0),
    "dovetail demo": (COMMAND, ["demo"], 25.0, 15.0),
    "rehearse in a notebook": (NOTEBOOK, [], 3.0, 1.5),
}
CHOSEN = sized(
    tuple(COMMANDS), ("dovetail list", "dovetail check substructuring/cs1", "rehearse in a notebook")
)


def processor_time(what: str, folder: Path, programs: Path) -> float:
    """Return the processor time [s] of a fresh process and its children."""
    code, arguments, *_ = COMMANDS[what]
    options = ["-m", "dovetail", *arguments] if code is COMMAND else ["-c", f"{code}\n{ANSWERED}"]
    return _processor_time([sys.executable, *options], folder, programs)


def shares(what: str, folder: Path, programs: Path) -> str:
    """Return the shares of the processor time, counted in another process because counting takes time."""
    code, arguments, *_ = COMMANDS[what]
    counting = [sys.executable, str(Path(__file__).with_name("time_profile.py")), "spent.json"]
    _processor_time([*counting, "-c", code, *arguments], folder, programs)
    parts = json.loads((folder / "spent.json").read_text("utf-8"))
    return ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items() if seconds >= 0.05)


def _processor_time(command: list[str], folder: Path, programs: Path) -> float:
    folder.mkdir(parents=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "DOVETAIL_PROGRAM_CACHE": str(programs)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("what", CHOSEN)
def test_time_of_a_command(figure, tmp_path, monkeypatch, what):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    *_, first, again = COMMANDS[what]
    cache = tmp_path / "programs"
    times = [processor_time(what, tmp_path / str(i), cache) for i in range(sized(3, 2))]
    for label, seconds, target, programs in (
        ("first", times[0], first, tmp_path / "none"),
        ("again", min(times[1:]), again, cache),
    ):
        parts = shares(what, tmp_path / label, programs)
        figure(f"{what}, {label}", seconds, "s", target=target, at_least=False, accuracy=parts)
