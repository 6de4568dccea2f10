"""Type checks: no error code is disabled, every ignored error has a reason, and mistakes are found."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RIGHT = re.compile(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]  # \w")
MISTAKES = """
import dataclasses
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.stability import StateSpace
from dovetail.transfer import Delay, LinearTransfer

LinearTransfer([1.0], [0.1, 1.0])(1j)
StateSpace([[0.0]], [[1.0]], [[1.0]], [[0.0]])
Delay([0.01, 0.02]), dataclasses.replace(Delay(0.01), delay=0.02), KelvinVoigt(1e4)
Delay({"s": 0.01})  # wrong
dataclasses.replace(Delay(0.01), delay="10 ms")  # wrong
KelvinVoigt("stiff")  # wrong
LinearTransfer(1.0)  # wrong
"""


def test_no_type_check_is_disabled():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert not {"disable_error_code", "overrides", "exclude", "ignore_errors"} & set(told)


def test_ignored_type_errors_state_code_and_reason():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted((ROOT / "src").rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if "type: ignore" in line and not RIGHT.search(line)
    ]
    assert not found, "\n".join(["give the code and, after it, the reason:", *found])


@pytest.mark.slow
def test_array_parameters_accept_numbers_only(tmp_path):
    api = pytest.importorskip("mypy.api")
    file = tmp_path / "mistakes.py"
    file.write_text(MISTAKES, "utf-8")
    said, errors, _ = api.run(["--config-file", str(ROOT / "pyproject.toml"), str(file)])
    assert not errors
    found = {
        int(line.split(":")[1]) for line in said.splitlines() if f"{file.name}:" in line
    }  # of whichever folder it knows it
    assert found == {i for i, line in enumerate(MISTAKES.splitlines(), 1) if "# wrong" in line}, said
