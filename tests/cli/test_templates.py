"""Templates of `dovetail new` pass their own tests and run with the commands that they name."""

import importlib
import inspect
import sys

import pytest

from dovetail.cli.templates import NEXT_STEPS, TEMPLATES
from dovetail.core import kinds, user_parts
from dovetail.specimens.base import Specimen


@pytest.fixture
def own_tests(dovetail, tmp_path, monkeypatch):
    """Begins something, and runs every test that was written with it; the folder that it is in."""
    monkeypatch.setattr(user_parts, "_modules", {})
    before = set(sys.modules)

    def begun(what, name):
        code, out, err = dovetail("new", what, name)
        assert code == 0, err
        assert all(word.replace("$name", name) in out for word in TEMPLATES[what])
        folder = tmp_path / name if what == "study" else tmp_path
        monkeypatch.syspath_prepend(str(folder))
        claims = [
            (key, value)
            for key, value in vars(importlib.import_module(f"test_{name}")).items()
            if key.startswith("test_")
        ]
        assert len(claims) >= 2
        for _, claim in claims:
            wanted = inspect.signature(claim).parameters
            given = {"tmp_path": tmp_path / "work"} if "tmp_path" in wanted else {}
            files = sorted(folder.glob("tests/*.toml")) if "file" in wanted else [None]
            for file in files:
                claim(**given, **({} if file is None else {"file": file}))
        return folder, out

    yield begun
    for module in set(sys.modules) - before:
        if module.endswith("24"):
            del sys.modules[module]


def test_a_part_passes_its_own_test_and_is_found_by_a_test_file(own_tests):
    folder, out = own_tests("part", "own_spring24")
    assert 'kind = "own_spring24:OwnSpring24"' in out
    user_parts.add_command_line_parts(folder / "own_spring24.py")
    assert kinds.find("own_spring24:OwnSpring24", Specimen)(k=1.0, yield_force=1.0).k == 1.0


def test_a_test_passes_its_own_test_and_can_be_checked(own_tests, dovetail):
    own_tests("test", "first24")
    code, out, err = dovetail("check", "first24.toml")
    assert code == 0, err
    assert 'kind = "forward-prediction"' in out


@pytest.mark.slow
def test_a_study_passes_its_own_test(own_tests):
    folder, _ = own_tests("study", "damper24")
    assert (folder / "README.md").is_file()


def test_every_template_has_a_next_step():
    assert set(NEXT_STEPS) == set(TEMPLATES)
