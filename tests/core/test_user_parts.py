"""User parts in a file: found by name, faults reported, sources of the same name kept separate."""

import random

import pytest

from dovetail.core import kind_names, kinds, user_parts
from dovetail.core.errors import OutputError, ParameterError, UnknownNameError
from dovetail.specimens.base import Specimen
from dovetail.transfer import Transfer

TEXT = '''
from __future__ import annotations
import jax
from dovetail.core import Parameter, parameter
from dovetail.specimens.base import Memoryless

class Hardening(Memoryless):
    """A spring that hardens."""

    k: Parameter = parameter("N/m", "stiffness", default={k})

    def output(self, t, x, u):
        return {{"force": -self.k * u["displacement"] ** 3}}

class Tool:
    pass

def helper():
    return 1
'''


@pytest.fixture(autouse=True)
def no_user_parts(monkeypatch):
    monkeypatch.setattr(user_parts, "_modules", {})
    monkeypatch.setattr(user_parts, "_command_line", {})


def lines(**values):
    return TEXT.format(**values).splitlines()


def test_a_user_part_is_found_by_file_class_and_role():
    user_parts.load_user_parts({"mine": lines(k=7.0)})
    cls = kinds.find("mine:Hardening", Specimen)
    assert float(cls().k) == 7.0
    assert kind_names.name_of(cls) == "mine:Hardening"
    assert kinds.parts_by_kind(Specimen)["mine:Hardening"] is cls
    assert "mine:Tool" not in kinds.parts_by_kind()
    assert user_parts.sources_of([cls, Specimen]) == {"mine": lines(k=7.0)}


def test_sources_of_the_same_name_are_separate():
    rng = random.Random(24)
    classes = {}
    for k in rng.sample(range(100), 6) * 2:
        user_parts.load_user_parts({"mine": lines(k=k)})
        cls = kinds.find("mine:Hardening")
        assert classes.setdefault(k, cls) is cls  # executed once
        assert float(cls().k) == k
    for k, cls in classes.items():
        assert kind_names.name_of(cls) == "mine:Hardening"
        assert user_parts.sources_of([cls])["mine"] == lines(k=k)


@pytest.mark.parametrize(
    ("kind", "base", "words"),
    [
        (
            "other:Hardening",
            object,
            r'no file of parts "other.py"; .*mine.py; .*parts = \["other.py"\]',
        ),
        ("mine:Hardning", Specimen, 'no Specimen in mine.py "Hardning"; did you mean "Hardening"'),
        ("mine:Hardening", Transfer, "Hardening is not derived from a Transfer"),
        ("mine:Tool", object, "known: Hardening; Tool is not derived from a part"),
        ("mine:helper", object, "helper is not derived from a part"),
        ("mine:Memoryless", object, "Memoryless is not derived"),
        ("mine:Unfinished", Specimen, "Unfinished lacks output"),
    ],
)
def test_an_unknown_class_or_a_class_that_is_not_a_part(kind, base, words):
    user_parts.load_user_parts({"mine": [*lines(k=1.0), "class Unfinished(Memoryless):", "    pass"]})
    with pytest.raises(UnknownNameError, match=words):
        kinds.find(kind, base)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\ndef f(:\n", r"mine.py, line 2: cannot be run \(invalid syntax\)"),
        ("import numpy\n\nnumpy.asarray('a', float)\n", r"mine.py, line 3: cannot be run \(ValueError: "),
        ("import not_there_at_all\n", r"mine.py, line 1: .*No module named 'not_there_at_all'"),
        ("def f():\n    raise SystemExit(3)\nf()\n", r"mine.py, line 2: cannot be run \(SystemExit: 3\)"),
        ("x = '\0'\n", r"mine.py.*: cannot be run"),
    ],
)
def test_the_error_of_a_source_that_cannot_be_run_has_the_line(text, words):
    for _ in range(2):  # also at the second attempt
        with pytest.raises(ParameterError, match=words):
            user_parts.load_user_parts({"mine": text.split("\n")})
    assert "mine:f" not in kinds.parts_by_kind()


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (
            ["none.py"],
            OutputError,
            r"none.py: cannot be read \(no such file or directory\)",
        ),
        (["mine.txt"], OutputError, "mine.txt: is not a Python file"),
        (["latin.py"], OutputError, "latin.py: cannot be read"),
        (["mine.py", "sub/mine.py"], OutputError, "another file has the same name mine.py"),
        ("mine.py", ParameterError, r'got "mine.py"; needs a list of files'),
        ([3], ParameterError, "needs a list of files"),
        ({"mine": 3}, ParameterError, "needs a list of files, or a table"),
    ],
)
def test_a_file_that_cannot_be_read_is_rejected(tmp_path, names, error, words):
    (tmp_path / "sub").mkdir()
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "mine.txt").write_text("")
    (tmp_path / "sub" / "mine.py").write_text("x = 1\n")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    with pytest.raises(error, match=words):
        user_parts.read(names, tmp_path)


def test_a_byte_order_mark_is_removed(tmp_path):
    (tmp_path / "mine.py").write_text("\ufeffx = 1\n", "utf-8")
    assert user_parts.read(["mine.py"], tmp_path) == {"mine": ["x = 1"]}


def test_different_files_of_one_name_on_the_command_line_and_in_a_test_are_rejected(tmp_path):
    (tmp_path / "mine.py").write_text("\n".join(lines(k=1.0)))
    user_parts.add_command_line_parts(tmp_path / "mine.py")
    assert user_parts.with_command_line_parts({"other": []}) == {"mine": lines(k=1.0), "other": []}
    assert user_parts.with_command_line_parts({"mine": lines(k=1.0)}) == {"mine": lines(k=1.0)}
    with pytest.raises(ParameterError, match="--parts: mine.py differs"):
        user_parts.with_command_line_parts({"mine": lines(k=2.0)})
