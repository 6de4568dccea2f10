"""Every result that the source draws or tabulates is drawn again by an example."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples" / "capture").glob("3[1-7]_*.py"))
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


DRAWN = """
import runpy, sys, matplotlib.pyplot as plt
runpy.run_path(sys.argv[1])
axes = [a for n in plt.get_fignums() for a in plt.figure(n).axes]
print("axes", len(axes), "empty", sum(not (a.has_data() or a.texts or a.tables) for a in axes))
"""


@pytest.mark.slow
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_draws_its_figures_and_leaves_none_empty(file, tmp_path):
    surroundings = os.environ | {"MPLBACKEND": "Agg"}
    command = [sys.executable, "-c", DRAWN, str(file)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=surroundings, check=False
    )
    assert done.returncode == 0, done.stderr
    axes, empty = re.findall(r"axes (\d+) empty (\d+)", done.stdout)[-1]
    assert int(axes) > 0
    assert int(empty) == 0
