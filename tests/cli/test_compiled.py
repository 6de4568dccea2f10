"""Compiled loops are kept between commands."""

import os
import subprocess
import sys

import pytest

from dovetail.cli import compiled


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(compiled.FOLDER, raising=False)
    monkeypatch.setenv(compiled.SHORTEST, "0")
    return tmp_path


def command(*arguments, cwd):
    run = [sys.executable, "-c", "from dovetail.cli.main import main; main()", *arguments]
    return subprocess.run(run, capture_output=True, text=True, cwd=cwd, env=os.environ, check=False)


@pytest.mark.slow
def test_a_second_run_finds_what_the_first_compiled_and_gives_the_same_numbers(home, tmp_path):
    xr = pytest.importorskip("xarray")
    for i in (1, 2):
        short = ["run", "substructuring/cs1", "--set", "duration=0.1 s", "--out", f"run-{i}"]
        said = command(*short, cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        if i == 1:
            kept = set(compiled.folder().iterdir())
            assert kept
    assert {file.name for file in compiled.folder().iterdir()} == {file.name for file in kept}
    first, second = (xr.open_dataset(tmp_path / f"run-{i}" / "result.nc") for i in (1, 2))
    xr.testing.assert_identical(first.drop_attrs(), second.drop_attrs())


@pytest.mark.slow
def test_a_broken_entry_is_no_concern_of_the_user(home, tmp_path):
    short = ["run", "substructuring/cs1", "--set", "duration=0.1 s"]
    assert command(*short, "--out", "a", cwd=tmp_path).returncode == 0
    for file in compiled.folder().iterdir():
        file.write_bytes(b"not a program")
    said = command(*short, "--out", "b", cwd=tmp_path)
    assert said.returncode == 0
    assert "cache" not in said.stderr.lower()


def test_the_user_may_name_another_folder(home, monkeypatch):
    monkeypatch.setenv(compiled.FOLDER, "elsewhere")
    compiled.keep()
    assert os.environ[compiled.FOLDER] == "elsewhere"
