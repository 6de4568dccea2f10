"""The generator of mutations changes one thing at a time, and nothing that is not code in a function."""

import ast
from pathlib import Path

import pytest

from .changes import mutations

SOURCE = Path(__file__).parents[2] / "src" / "dovetail"


def mutated(expression: str) -> set[str]:
    """All mutations of an expression in a function."""
    source = f"def f(x, y, z):\n    return {expression}\n"
    return {
        mutation.apply(source).splitlines()[1].removeprefix("    return ")
        for place in mutations(source)
        for mutation in place
    }


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + y", {"x - y"}),
        ("x - y", {"x + y"}),
        ("(x) * (y)", {"(x) / (y)"}),
        ("x ** y", {"(x * y)"}),
        ("z / x**y", {"z * x**y", "z / (x*y)"}),
        ("x % y", {"x * y"}),
        ("x & y", {"(x | y)"}),
        ("x < y", {"x <= y", "x > y"}),
        ("x >= y", {"x > y", "x <= y"}),
        ("x == y", {"x != y"}),
        ("x is  not y", {"x is y"}),
        ("x not in y", {"x in y"}),
        ("x < y <= z", {"x <= y <= z", "x > y <= z", "x < y < z", "x < y >= z"}),
        ("x and y and z", {"x or y and z", "x and y or z"}),
        ("not x", {" x"}),
        ("-x", {"x"}),
        ("~x", {"x"}),
        ("x[0]", {"x[1]", "x[(-1)]"}),
        ("x(2)", {"x(3)", "x(1)", "x(4)"}),
        ("x(0.4)", {"x(0.8)", "x(0.2)"}),
        ("x(0.0)", {"x(1.0)"}),
        ("x(True)", {"x(False)"}),
        ("max(x, y)", {"min(x, y)"}),
        ("x.sin(y)", {"x.cos(y)"}),
        ("abs(x)", {"(x)"}),
        ("x.where(x, y, z)", {"x.where(x, z, y)"}),
        ("y if x else z", {"y if (not (x)) else z"}),
        ("[x for x in y if z]", {"[x for x in y if (not (z))]"}),
        ("range(x)", {"range((x) + 1)", "range((x) - 1)"}),
        ("range(x, y)", {"range(x, (y) + 1)", "range(x, (y) - 1)"}),
        ("x[:y]", {"x[:(y) + 1]", "x[:(y) - 1]"}),
        ('"ä" and x', {'"ä" or x'}),  # columns are counted in bytes
    ],
)
def test_every_mutation_of_an_expression(expression, expected):
    assert mutated(expression) == expected


@pytest.mark.parametrize(
    "expression", ['f"{x + 1:.3f} of {2}"', '"1" + x', "[x] + y", "None", "zip(x, y, strict=True)", "x @ y"]
)
def test_messages_and_sequences_are_not_mutated(expression):
    assert mutated(expression) == set()


def test_nothing_outside_of_a_function_body_is_changed():
    source = '''"""1 + 1"""
from __future__ import annotations
__all__ = ["f"] + ["g"]
SIZE = 3 + 4
class C(Base[1]):
    """2 + 2"""
    field: float = 5.0
    @decorated(static=6)
    def f(self, x: Array[7], y=8) -> Array[9]:
        """10 < 11"""
        z: Array[12] = x
        return z
'''
    assert {m.apply(source).splitlines()[8] for place in mutations(source) for m in place} == {
        f"    def f(self, x: Array[7], y={n}) -> Array[9]:" for n in (9, 7, 16)
    }


def test_a_mutation_states_nested_scope_and_argument_default():
    source = (
        "class A:\n    def f(self, x=1):\n        def g(y):\n            return y + x\n        return g\n"
    )
    default, operator = mutations(source, "a/b.py")
    assert (default[0].kind, default[0].line, default[0].place) == ("default", 2, "a/b.py::A.f")
    assert (operator[0].kind, operator[0].line, operator[0].place) == ("operator", 4, "a/b.py::A.f.g")


def test_an_operator_is_found_behind_a_comment_that_has_one():
    source = "def f(x, y):\n    return (x  # + 1\n        + y)\n"
    ((mutation,),) = mutations(source)
    assert mutation.apply(source) == "def f(x, y):\n    return (x  # + 1\n        - y)\n"


def test_a_mutation_is_reported_by_line_and_diff():
    source = "def f(x, y):\n    z = x\n    return z + y\n"
    ((mutation,),) = mutations(source)
    assert mutation.change(source) == "return z + y -> return z - y"
    assert "-    return z + y\n+    return z - y\n" in mutation.diff(source)


@pytest.mark.parametrize(
    "file",
    [
        "transfer/two_degree_controller.py",
        "links/session.py",
        "mechanics/chain/cable.py",
        "mechanics/frame.py",
    ],
)
def test_every_mutation_of_a_module_is_another_program(file):
    source = (SOURCE / file).read_text("utf-8")
    program = ast.dump(ast.parse(source))
    places = mutations(source, file)
    assert len(places) > 20
    for place in places[::9]:  # each is a parse of the file
        for mutation in place:
            assert ast.dump(ast.parse(mutation.apply(source))) != program, mutation
