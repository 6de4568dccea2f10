"""`dovetail new part`: what it writes is a part, passes its own test, and is found by a test file."""

import importlib

import pytest

from dovetail.core import brought, registry
from dovetail.specimens.base import Specimen


def test_what_is_written_is_a_part_and_passes_its_own_test(dovetail, tmp_path, monkeypatch):
    code, out, _ = dovetail("new", "part", "own_spring24")
    assert code == 0
    assert 'kind = "own_spring24:OwnSpring24"' in out
    monkeypatch.syspath_prepend(str(tmp_path))
    claims = importlib.import_module("test_own_spring24")
    claims.test_the_force_is_that_of_the_equation()
    claims.test_it_works_in_a_hybrid_test()
    monkeypatch.setattr(brought, "_meant", {})
    brought.say(tmp_path / "own_spring24.py")
    assert registry.find("own_spring24:OwnSpring24", Specimen)(k=1.0).k == 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("part", "my-damper"), 'got "my-damper"; a file of parts is called by letters'),
        (("part", "class"), 'got "class"'),
        (("party", "mine"), 'no beginning "party"; did you mean "part"?'),
        (("part", "there"), "there.py: is already there; choose another name or remove it"),
    ],
)
def test_what_cannot_be_begun_is_told(dovetail, tmp_path, arguments, words):
    (tmp_path / "test_there.py").touch()
    code, _, err = dovetail("new", *arguments)
    assert code == 2
    assert words in err
    assert not (tmp_path / "there.py").exists()
