"""How long does a user wait for a command, the first time and again?

Each is started in a fresh process and its processor time taken, that of its children too; the first time nothing was
compiled before on this machine, and the time after that is the best of two. Beside each figure stands where the time
went (`spent`). `make test` is timed by `make test`.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = "from dovetail.cli.main import main; main()"
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


def processor_time(
    code: str, arguments: list[str], folder: Path, programs: Path
) -> tuple[float, dict[str, float]]:
    """Processor time [s] of a fresh process and its children, and where its own went."""
    folder.mkdir(parents=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, Path(__file__).with_name("spent.py"), "spent.json", "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "DOVETAIL_PROGRAMS": str(programs)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads((folder / "spent.json").read_text("utf-8"))


@pytest.mark.parametrize("what", COMMANDS)
def test_a_command_answers_in_seconds(figure, tmp_path, monkeypatch, what):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    code, arguments, first, again = COMMANDS[what]
    times = [processor_time(code, arguments, tmp_path / str(i), tmp_path / "programs") for i in range(3)]
    for label, (took, parts), target in (("first", times[0], first), ("again", min(times[1:]), again)):
        shares = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items() if seconds >= 0.05)
        figure(f"{what}, {label}", took, "s", target=target, at_least=False, accuracy=shares)
