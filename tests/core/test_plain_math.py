"""Formulas of docstrings as plain text."""

import pytest

from dovetail.core.kinds import entries
from dovetail.core.plain_math import plain_math, plain_text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"\ddot y + 2\zeta\omega\dot y + \omega^2 y = \omega^2 g u", "d²y/dt² + 2ζω dy/dt + ω² y = ω² g u"),
        (r"\Lambda = \tfrac32(1 - c_r)", "Λ = 3/2(1 - c_r)"),
        (r"\frac{a + b}{c}\,\sqrt{x}", "(a + b)/c sqrt(x)"),
        (r"F = \mu N\tanh(v/v_0)", "F = μ N tanh(v/v_0)"),
        (r"A\sin^2(\pi B t), t \le 1/B", "A sin²(π B t), t ≤ 1/B"),
        (r"x_{n+1} = x_n + e^{-t/\tau}", "x_(n+1) = x_n + e^(-t/τ)"),
    ],
)
def test_formula_becomes_plain_text(formula, text):
    assert plain_math(formula) == text


def test_roles_and_backquotes_are_removed():
    assert (
        plain_text(r":class:`~dovetail.Sine` of ``k``, :math:`\dot{x}_i`") == "dovetail.Sine of `k`, dx_i/dt"
    )


def test_no_kind_is_described_with_tex():
    assert not [kind for kind, entry in entries().items() if "\\" in plain_math(entry.about)]
