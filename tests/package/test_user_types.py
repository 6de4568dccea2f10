"""Types for users: README, tutorials, gallery and a driver pass strict type checkers with nothing but the package."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/start-here.md", "docs/tutorial.md", "docs/how-to/write-a-part.md")
MISTAKES = """
import dataclasses
import dovetail as dv
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.transfer import Delay

Delay(0.01), Delay([0.01, 0.02]), dataclasses.replace(Delay(0.01), delay=0.02), KelvinVoigt(1e4)
Delay({"s": 0.01})  # wrong
Delay("10 ms")  # wrong
dataclasses.replace(Delay(0.01), delay={"s": 0.01})  # wrong
KelvinVoigt("stiff")  # wrong
dv.Sine(amplitude={"m": 0.01}, frequency=3.0)  # wrong
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Files with the programs of the pages, of the gallery and of the driver."""
    folder = tmp_path_factory.mktemp("programs")
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)
        (folder / f"page_{Path(page).stem.replace('-', '_')}.py").write_text("\n".join(blocks), "utf-8")
    for file in sorted((ROOT / "examples").rglob("*.py")):
        (folder / f"example_{file.name}").write_text(file.read_text("utf-8"), "utf-8")
    (folder / "mistakes.py").write_text(MISTAKES, "utf-8")
    return folder


def wrong_lines():
    return {i for i, line in enumerate(MISTAKES.splitlines(), 1) if "# wrong" in line}


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_programs_of_users_pass_and_mistakes_are_reported(programs, checker):
    pytest.importorskip(checker)
    arguments = {
        "mypy": [
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            os.devnull,
            "--cache-dir",
            str(programs / "cache"),
        ],
        "pyright": ["-m", "pyright", "--pythonpath", sys.executable],
    }[checker]
    files = sorted(map(str, programs.glob("*.py")))
    result = subprocess.run(
        [sys.executable, *arguments, *files], cwd=programs, capture_output=True, text=True, check=False
    )
    errors = [line for line in result.stdout.splitlines() if re.search(r":\d+.*\berror\b", line)]
    mistakes = {int(re.search(r"mistakes\.py:(\d+)", line)[1]) for line in errors if "mistakes.py:" in line}
    assert mistakes == wrong_lines(), result.stdout[-3000:] + result.stderr[-1000:]
    others = [line for line in errors if "mistakes.py:" not in line]
    assert not others, "\n".join(others[:30])
