"""How long does a user wait for a command, the first time and again?

Each is started in a fresh process and its processor time taken, that of its children too; the first time nothing was
compiled before on this machine, and the time after that is the best of two. A notebook goes on after its answer, so its
time ends there. Beside each figure stands where the time went (`spent`). `make test` is timed by `make test`.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = "from dovetail.cli.main import main; main()"  # where it is counted where the time goes
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
ANSWERED = "import os; os._exit(0)"  # the end of a process is not part of what a notebook waits for
CREEP = ["run", "refuelling/full-scale", "--mode", "creep", "--no-live"]
COMMANDS = {  # what: code, arguments, targets [s] the first time and again
    "dovetail --help": (COMMAND, ["--help"], None, 0.3),
    "dovetail list": (COMMAND, ["list"], None, 0.3),
    "dovetail check substructuring/cs1": (COMMAND, ["check", "substructuring/cs1"], 2.5, 1.5),
    "dovetail run substructuring/cs1": (COMMAND, ["run", "substructuring/cs1"], 6.0, 3.0),
    "dovetail run refuelling/full-scale --mode creep": (COMMAND, CREEP, 15.0, 8.0),
    "dovetail demo": (COMMAND, ["demo"], 25.0, 15.0),
    "rehearse in a notebook": (NOTEBOOK, [], 3.0, 1.5),
}


def processor_time(what: str, folder: Path, programs: Path) -> float:
    """Processor time [s] of a fresh process and its children."""
    code, arguments, *_ = COMMANDS[what]
    words = ["-m", "dovetail", *arguments] if code is COMMAND else ["-c", f"{code}\n{ANSWERED}"]
    return _spent([sys.executable, *words], folder, programs)


def shares(what: str, folder: Path, programs: Path) -> str:
    """Where it goes; in a process of its own, since counting takes time too."""
    code, arguments, *_ = COMMANDS[what]
    counting = [sys.executable, str(Path(__file__).with_name("spent.py")), "spent.json"]
    _spent([*counting, "-c", code, *arguments], folder, programs)
    parts = json.loads((folder / "spent.json").read_text("utf-8"))
    return ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items() if seconds >= 0.05)


def _spent(command: list[str], folder: Path, programs: Path) -> float:
    folder.mkdir(parents=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    place = {**os.environ, "DOVETAIL_PROGRAMS": str(programs)}
    place.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    subprocess.run(command, cwd=folder, env=place, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("what", COMMANDS)
def test_a_command_answers_in_seconds(figure, tmp_path, monkeypatch, what):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    *_, first, again = COMMANDS[what]
    kept = tmp_path / "programs"
    times = [processor_time(what, tmp_path / str(i), kept) for i in range(3)]
    for label, took, target, programs in (
        ("first", times[0], first, tmp_path / "none"),
        ("again", min(times[1:]), again, kept),
    ):
        went = shares(what, tmp_path / label, programs)
        figure(f"{what}, {label}", took, "s", target=target, at_least=False, accuracy=went)
