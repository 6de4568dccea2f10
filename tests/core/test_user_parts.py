"""Parts in a file of one's own: found by its name, told in words what is wrong with it, kept apart by their text."""

import random

import pytest

from dovetail.core import kinds, user_parts
from dovetail.core.errors import OutputError, ParameterError, UnknownNameError
from dovetail.specimens.base import Specimen
from dovetail.transfer import Transfer

TEXT = '''
from __future__ import annotations
import jax
from dovetail.core import parameter
from dovetail.specimens.base import Memoryless

class Hardening(Memoryless):
    """A spring that hardens."""

    k: jax.Array = parameter("N/m", "stiffness", default={k})

    def output(self, t, x, u):
        return {{"force": -self.k * u["displacement"] ** 3}}

class Tool:
    pass

def helper():
    return 1
'''


@pytest.fixture(autouse=True)
def nothing_brought(monkeypatch):
    monkeypatch.setattr(user_parts, "_meant", {})
    monkeypatch.setattr(user_parts, "_said", {})


def lines(**values):
    return TEXT.format(**values).splitlines()


def test_a_part_of_a_file_is_found_by_file_and_class_and_role():
    user_parts.bring({"mine": lines(k=7.0)})
    cls = kinds.find("mine:Hardening", Specimen)
    assert float(cls().k) == 7.0
    assert kinds.name_of(cls) == "mine:Hardening"
    assert kinds.parts_by_kind(Specimen)["mine:Hardening"] is cls
    assert "mine:Tool" not in kinds.parts_by_kind()
    assert user_parts.texts_of([cls, Specimen]) == {"mine": lines(k=7.0)}


def test_texts_of_one_name_do_not_mix():
    rng = random.Random(24)
    made = {}
    for k in rng.sample(range(100), 6) * 2:
        user_parts.bring({"mine": lines(k=k)})
        cls = kinds.find("mine:Hardening")
        assert made.setdefault(k, cls) is cls  # run once
        assert float(cls().k) == k
    for k, cls in made.items():
        assert kinds.name_of(cls) == "mine:Hardening"
        assert user_parts.texts_of([cls])["mine"] == lines(k=k)


@pytest.mark.parametrize(
    ("kind", "base", "words"),
    [
        (
            "other:Hardening",
            object,
            r'no file of parts "other.py"; .*mine.py; name the file: parts = \["other.py"\]',
        ),
        ("mine:Hardning", Specimen, 'no Specimen in mine.py "Hardning"; did you mean "Hardening"'),
        ("mine:Hardening", Transfer, "Hardening is there, and derives from no Transfer of Dovetail"),
        ("mine:Tool", object, "known: Hardening; Tool is there, and derives from no part of Dovetail"),
        ("mine:helper", object, "helper is there, and derives from no part"),
        ("mine:Memoryless", object, "Memoryless is there"),
    ],
)
def test_what_is_not_there_or_no_part_is_told(kind, base, words):
    user_parts.bring({"mine": lines(k=1.0)})
    with pytest.raises(UnknownNameError, match=words):
        kinds.find(kind, base)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\ndef f(:\n", r"mine.py, line 2: cannot be run \(invalid syntax\); mend the file"),
        ("import numpy\n\nnumpy.asarray('a', float)\n", r"mine.py, line 3: cannot be run \(ValueError: "),
        ("import not_there_at_all\n", r"mine.py, line 1: .*No module named 'not_there_at_all'"),
        ("def f():\n    raise SystemExit(3)\nf()\n", r"mine.py, line 2: cannot be run \(SystemExit: 3\)"),
        ("x = '\0'\n", r"mine.py.*: cannot be run"),
    ],
)
def test_a_text_that_cannot_be_run_is_told_with_its_line(text, words):
    for _ in range(2):  # and is not taken for run the second time
        with pytest.raises(ParameterError, match=words):
            user_parts.bring({"mine": text.split("\n")})
    assert "mine:f" not in kinds.parts_by_kind()


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (
            ["none.py"],
            OutputError,
            r"none.py: cannot be read \(no such file or directory\); give the file of the parts",
        ),
        (["mine.txt"], OutputError, "mine.txt: is no Python file"),
        (["latin.py"], OutputError, "latin.py: cannot be read"),
        (["mine.py", "sub/mine.py"], OutputError, "another file is called mine.py too"),
        ("mine.py", ParameterError, r'got "mine.py"; needs a list of files'),
        ([3], ParameterError, "needs a list of files"),
        ({"mine": 3}, ParameterError, "needs a list of files, or for each name the lines"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path, names, error, words):
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "mine.txt").write_text("")
    (tmp_path / "sub" / "mine.py").write_text("x = 1\n")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    with pytest.raises(error, match=words):
        user_parts.read(names, tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "mine.py").write_text("\ufeffx = 1\n", "utf-8")
    assert user_parts.read(["mine.py"], tmp_path) == {"mine": ["x = 1"]}


def test_the_command_line_and_a_test_cannot_mean_two_files_by_one_name(tmp_path):
    (tmp_path / "mine.py").write_text("\n".join(lines(k=1.0)))
    user_parts.say(tmp_path / "mine.py")
    assert user_parts.with_said({"other": []}) == {"mine": lines(k=1.0), "other": []}
    assert user_parts.with_said({"mine": lines(k=1.0)}) == {"mine": lines(k=1.0)}
    with pytest.raises(ParameterError, match="mine.py of --parts is not the one that the test names"):
        user_parts.with_said({"mine": lines(k=2.0)})
