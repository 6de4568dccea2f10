"""Formulas of docstrings as plain text, for the terminal and the studio."""

from __future__ import annotations

import re
from collections.abc import Callable

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ",
    "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
SYMBOLS = {
    "cdot": "·", "times": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "approx": "≈", "pm": "±",
    "infty": "∞", "int": "∫", "sum": "Σ", "prod": "Π", "partial": "∂", "nabla": "∇", "to": "→", "propto": "∝",
    "in": "∈", "ll": "«", "gg": "»", "ldots": "...", "dots": "...", "cdots": "...", "quad": " ", "qquad": " ",
    "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "lvert": "|", "rvert": "|", "mid": "|",
}  # fmt: skip
FUNCTIONS = "sinh?|cosh?|tanh?|exp|log|ln|max|min|arg|lim"
POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "vec": "\u20d7"}
ARGUMENT = r"\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\s\\{}])"  # a group, a command, or one character


def plain_text(text: str) -> str:
    """Return a docstring as plain text: formulas in Unicode, no reStructuredText roles, no double backquotes."""
    text = re.sub(r":math:`([^`]*)`", lambda match: plain_math(match[1]), text)
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", text).replace("``", "`")


def plain_math(formula: str) -> str:
    r"""Return a TeX formula as plain text: ``\ddot y + 2\zeta\omega\dot y`` becomes d²y/dt² + 2ζω dy/dt."""
    text = formula
    for name, mark in (("ddot", "d²{}/dt²"), ("dot", "d{}/dt")):
        text = re.sub(rf"\\{name}(?![A-Za-z]){ARGUMENT}(_\w|_\{{[^{{}}]*\}})?", _derivative(mark), text)
    text = re.sub(rf"\\[td]?frac(?![A-Za-z]){ARGUMENT}{ARGUMENT}", _fraction, text)
    text = re.sub(rf"\\sqrt(?![A-Za-z]){ARGUMENT}", lambda match: f"sqrt({_inner(match[1])})", text)
    for name, accent in ACCENTS.items():
        text = re.sub(rf"\\{name}(?![A-Za-z]){ARGUMENT}", _accent_replacement(accent), text)
    text = re.sub(r"\\(?:text|mathrm|mathbf|mathit|operatorname|boldsymbol)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\^(?:\{(-?\d+)\}|(\d))", lambda match: (match[1] or match[2]).translate(POWERS), text)
    text = re.sub(r"\^\{([^{}]*)\}", lambda match: f"^{_group(match[1])}", text)
    text = re.sub(r"_\{([^{}]*)\}", lambda match: f"_{_group(match[1])}", text)
    text = re.sub(r"\\[,;:! ]", " ", text)
    text = re.sub(rf"(?<=\w)(?=\\(?:{FUNCTIONS})(?![A-Za-z]))", " ", text)
    text = re.sub(rf"(\\(?:{FUNCTIONS}))(?=\\)", r"\1 ", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda match: GREEK.get(match[1], SYMBOLS.get(match[1], match[1])), text)
    text = re.sub(r" +", " ", re.sub(r"[{}\\]", "", text))
    return re.sub(r" (?=[,.;)\]])", "", text).strip()


def _accent_replacement(accent: str) -> Callable[[re.Match[str]], str]:
    """Return the replacement of an accent command: its argument followed by the accent."""
    return lambda match: _inner(match[1]) + accent


def _inner(group: str) -> str:
    return group[1:-1] if group.startswith("{") else group


def _group(inner: str) -> str:
    return inner if re.fullmatch(r"[\w\\,]+", inner) else f"({inner})"


def _derivative(mark: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f" {mark.format(_inner(match[1]) + (match[2] or ''))} "


def _fraction(match: re.Match[str]) -> str:
    upper, lower = (_inner(group) for group in match.groups()[:2])
    return "/".join(part if re.fullmatch(r"\\?[\w.]+", part) else f"({part})" for part in (upper, lower))
