"""A mutation is killed by a test that fails or hangs with it; what fails without it decides nothing."""

import pytest

from .changes import mutations
from .trees import Trees, mirrored

SOURCE = """import os

def own(x):
    return x + 1

def beside(x):
    return x * 3

def endless(x):
    while x < 4:
        x += 1

def nobody(x):
    return x - 5
"""
OWN = """import time
from dovetail.a import b

def test_own():
    assert b.own(2) == 3

def test_endless():
    b.endless(0)

def test_fails_always():
    assert b.nobody(2) == 0
"""


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\nmarkers = ["slow: x"]\n')
    for name in ("src/dovetail/a", "tests/a"):
        (root / name).mkdir(parents=True)
    (root / "src/dovetail/__init__.py").touch()
    (root / "src/dovetail/a/b.py").write_text(SOURCE)
    (root / "tests/a/test_b.py").write_text(OWN)
    (root / "tests/a/test_c.py").write_text(
        "from dovetail.a import b\n\ndef test_c():\n    assert b.beside(2) == 6\n"
    )
    (root / "tests/a/test_d.py").write_text("import not_there\n")
    trees = Trees(root, factor=2.0, spare=4.0)
    yield trees
    trees.close()


def mutation(scope, text):
    return next(
        m for place in mutations(SOURCE, "a/b.py") for m in place if (m.scope, m.text) == (scope, text)
    )


@pytest.mark.parametrize(
    ("scope", "text", "outcome"),
    [
        ("own", "-", "killed by file"),
        ("beside", "/", "killed by package"),
        pytest.param("endless", "-=", "killed by time limit", marks=pytest.mark.slow),
        ("nobody", "+", "survived"),
    ],
)
def test_a_mutation_is_classified_by_its_test_result(trees, scope, text, outcome):
    assert trees.run(mutation(scope, text)) == outcome
    assert (trees.base / "src/dovetail/a/b.py").read_text() == SOURCE


def test_tests_that_fail_without_mutation_are_listed(trees):
    assert trees.baseline("tests/a/test_b.py").failing == ("tests/a/test_b.py::test_fails_always",)
    assert set(trees.baseline("tests/a").failing) == {
        "tests/a/test_b.py::test_fails_always",
        "tests/a/test_d.py",
    }


def test_tests_of_a_module_are_the_file_of_its_name_and_its_folder():
    assert mirrored("transfer/robot/arm.py") == ["tests/transfer/robot/test_arm.py", "tests/transfer/robot"]
    assert mirrored("lazily.py") == ["tests/test_lazily.py"]  # not all tests of the project
