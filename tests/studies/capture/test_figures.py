"""Every result that the source draws or tabulates is drawn again by an example."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("3[1-7]_*.py"))
# 4.15 is a block diagram; all others show results or inputs
FIGURES = {f"4.{k}" for k in range(1, 27)} - {"4.15"}


def test_every_figure_of_the_source_is_named_by_an_example_that_draws_it():
    text = " ".join(" ".join(file.read_text("utf-8").replace("#", " ").split()) for file in EXAMPLES)
    named = set()
    for words in re.findall(r"figures? ((?:4\.\d+(?:, | and | to )?)+)", text):
        found = re.findall(r"4\.(\d+)", words)
        named |= {f"4.{k}" for k in found}
        for first, last in re.findall(r"4\.(\d+) to 4\.(\d+)", words):
            named |= {f"4.{k}" for k in range(int(first), int(last) + 1)}
    assert named == FIGURES
    assert "table 1" in text


@pytest.mark.slow
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_runs(file, tmp_path):
    surroundings = os.environ | {"MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, cwd=tmp_path, env=surroundings, check=False
    )
    assert done.returncode == 0, done.stderr
