"""Every integration uses a method of `core/methods`; checked in the source without running it."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
METHODS = SOURCE / "core" / "methods"
STAGES = re.compile(r"^\s*k_?[34]\s*(?::[^=]+)?=[^=]", re.M)  # k3 = ..., k_4 = ...
WEIGHTS = re.compile(
    r"/\s*6(?:\.0)?\s*\*\s*\(|\)\s*/\s*6(?:\.0)?\b|\b2(?:\.0)?\s*\*\s*k_?2\b"
)  # h / 6 * (, (...) / 6


def by_hand(text: str) -> bool:
    """Whether a text writes the stages of a Runge-Kutta method by name, or weighs slopes as RK4 does."""
    return bool(STAGES.search(text)) or any(
        re.search(r"\+\s*2(?:\.0)?\s*\*", line) and WEIGHTS.search(line) for line in text.splitlines()
    )


def test_integration_methods_are_written_in_core_only():
    found = [
        str(file.relative_to(SOURCE))
        for file in sorted(SOURCE.rglob("*.py"))
        if METHODS not in file.parents and by_hand(file.read_text("utf-8"))
    ]
    assert not found, f"take a method of core/methods, or the step of its tableau: {found}"


def test_the_pattern_detects_a_hand_written_method():
    classical = "    k4 = f(x + h * k3)\n    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)"
    renamed = "    return tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in rates)"
    assert by_hand(classical)
    assert by_hand(renamed)
    assert by_hand("a + h / 6 * (p + 2 * q + 2 * r + s)")
    assert not by_hand("mass = m / 6 * (top.T @ end + end.T @ top)")
