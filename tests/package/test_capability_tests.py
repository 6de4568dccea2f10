"""Every test that the capability list names exists. Test files are parsed, not run."""

import ast
import re
from functools import cache
from pathlib import Path

from dovetail.studies import capabilities

ROOT = Path(__file__).resolve().parents[2]


@cache
def names_in(file: Path) -> frozenset[str]:
    """Names of the tests of a file, "test_a" and "TestB::test_a"."""
    body = ast.parse(file.read_text("utf-8")).body
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    methods = {
        f"{node.name}::{inner.name}"
        for node in body
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef)
    }
    return frozenset(functions | methods)


def exists(test: str) -> bool:
    """True if a pytest node id, with or without its parameters, names a test of this checkout."""
    file, _, name = test.partition("::")
    path = ROOT / file
    return path.is_file() and name.partition("[")[0] in names_in(path)


def test_every_named_test_exists():
    named = sorted({(row.id, test) for row in capabilities() for test in row.tests})
    missing = [
        f"{capability} names {test}, which does not exist" for capability, test in named if not exists(test)
    ]
    assert not missing, "\n".join(missing)


def test_a_missing_test_is_detected():
    here = "tests/package/test_capability_tests.py"
    assert exists(f"{here}::test_every_named_test_exists")
    assert exists(f"{here}::test_every_named_test_exists[SUB-01]")
    assert not exists(f"{here}::test_nothing")
    assert not exists("tests/package/test_nothing.py::test_nothing")


def test_a_capability_names_no_test_twice():
    for row in capabilities():
        assert len(set(row.tests)) == len(row.tests), row.id


def test_no_capability_is_verified_by_targets_alone():
    """A target judges numbers; that something can be done is proved by doing it."""
    judging = re.compile(r"::test_(target_|quick_targets|the_other_targets)")
    alone = [row.id for row in capabilities() if row.tests and all(map(judging.search, row.tests))]
    assert alone == []
