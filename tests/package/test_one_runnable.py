"""Code does not distinguish hybrid tests and simulations by class; it uses their common interface."""

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
TWO = {"Test", "Simulation"}


def told_apart(source: str) -> list[int]:
    """Lines in which an object is asked whether it is one of the two."""
    asked = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance"
    ]
    of = {
        node.lineno: {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node.args[1])}
        for node in asked
    }
    return [line for line, names in of.items() if names & TWO]


def test_no_code_distinguishes_tests_from_simulations():
    found = {
        str(file.relative_to(SOURCE)): told_apart(file.read_text("utf-8")) for file in SOURCE.rglob("*.py")
    }
    assert not {name: lines for name, lines in found.items() if lines}


def test_the_search_detects_a_distinction():
    assert told_apart("isinstance(y, testing.Test | int)\nisinstance(y, TestFile)\n") == [1]
