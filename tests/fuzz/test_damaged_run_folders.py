"""Whatever was done to a run's folder, every command that reads it says so in words, and names the file."""

import random
import sys
from pathlib import Path

import pytest

from dovetail.cli.main import main
from dovetail.core.errors import OutputError
from dovetail.testing import run_folder
from dovetail.testing.saved_run import readings

from . import files

COMMANDS = {
    "report": ("report", "run"),
    "compare": ("compare", "run", "run"),
    "view": ("view", "run", "--port", "0", "--duration", "0.01"),
    "design": ("design", "test.toml", "--recording", "run", "--out", "out"),
    "need": ("design", "run"),
    "replay": ("run", "test.toml", "--mode", "replay", "--recording", "run", "--out", "out"),
    "resume": ("run", "test.toml", "--mode", "pseudodynamic", "--resume", "run"),
}
NAMES = ("test.toml", "result.nc", "outcome.json", "return_to_rest.nc", "journal.jsonl")


@pytest.fixture
def dovetail(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["dovetail", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        return int(caught.value.code or 0), capsys.readouterr().err

    return call


def unreadable(command: str, place: Path) -> bool:
    """Whether a command has to refuse the folder: a replay needs the recording alone, a resumed run the journal."""
    if command == "resume":
        return True  # the journal is of another test, whole or not
    try:
        readings(place) if command == "replay" else run_folder.read_run(place)
    except OutputError:
        return True
    return False


@pytest.mark.parametrize("command", COMMANDS)
def test_a_damaged_folder_is_reported_by(dovetail, command):
    Path("test.toml").write_bytes(files.run_files("rehearse")["test.toml"])
    told = 0
    for number in range(12):
        rng = random.Random(f"{command} {number}")
        mode = rng.choice(("rehearse", "realtime", "pseudodynamic"))
        place = files.placed({**files.run_files(mode), **hurt(mode, rng)}, Path(f"{number}") / "run")
        if not unreadable(command, place):
            continue
        words = [str(place) if word == "run" and i else word for i, word in enumerate(COMMANDS[command])]
        code, err = dovetail(*words)
        assert code == 2, err
        assert err.startswith("dovetail: "), err
        assert any(name in err for name in NAMES), err
        assert not Path("out").exists()
        told += 1
        if told > 2:
            return
    pytest.fail(f"{told} of 12 were refused")


def hurt(mode, rng):
    """Damage to one of the files that matter."""
    whole = {name: data for name, data in files.run_files(mode).items() if name in NAMES}
    return files.hurt(whole, files.run_files("rehearse", 2), rng)
