"""Package of the tutorial, installed with its entry point, runs from the command line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def package(folder: Path) -> None:
    """What the page tells to write, and what `pip install` makes of its metadata."""
    parts = [block for block in blocks("python") if block.startswith("# own_parts.py")]
    assert len(parts) == 3
    (folder / "own_parts.py").write_text("\n".join(parts))
    toml = {block.split("\n")[0].removeprefix("# "): block for block in blocks("toml")}
    (folder / "blade.toml").write_text(toml["blade.toml"])
    entry = re.search(r'\[project.entry-points."dovetail.parts"\]\n(.*?)\n\n', toml["pyproject.toml"], re.S)
    metadata = folder / "own_study-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-study\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(f"[dovetail.parts]\n{entry[1].replace(chr(34), '')}\n")


@pytest.mark.slow
def test_the_tutorials_parts_are_found_by_their_entry_point(tmp_path):
    package(tmp_path)
    called = [sys.executable, "-m", "dovetail", "run", "blade.toml", "--no-report", "--out", "first"]
    done = subprocess.run(
        called,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Finished" in done.stdout
    assert (tmp_path / "first" / "result.nc").is_file()


def test_the_package_of_the_tutorial_is_complete(tmp_path):
    package(tmp_path)
    assert (
        "own-study = own_parts" in (tmp_path / "own_study-0.1.0.dist-info" / "entry_points.txt").read_text()
    )
