"""A stranger's first hour with the wheel: an empty environment outside the clone, no compiler, no index."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("c++") is None, reason="a wheel is built with a C++ compiler")
def test_the_wheel_works_in_an_environment_with_python_only():
    subprocess.run(["make", "wheel"], cwd=ROOT, check=True)
    for options in ([], ["--any"]):
        subprocess.run([sys.executable, "release/try_wheel.py", "dist", *options], cwd=ROOT, check=True)
