"""Every formula of the documentation is rendered."""

import ast
import html
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

docutils = pytest.importorskip("docutils.utils.math.latex2mathml")
pytest.importorskip("latex2mathml")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from mathml import mathml  # noqa: E402

GROUP = r"(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[a-zA-Z]+|[0-9a-zA-Z])"
SAME = str.maketrans(
    {"⋅": "·", "'": "′", "ˆ": "^", "−": "-", "∣": "|", "ϵ": "ε", "∶": ":", "ˉ": "¯", "―": "_"}
)


def _formulas() -> list[tuple[str, str]]:
    found = []
    for page in (ROOT / "docs").rglob("*.md"):
        if {"_build", "gallery", "generated"} & set(page.parts):
            continue
        for match in re.finditer(
            r"```\{math\}\n(.*?)```|\$\$(.*?)\$\$|(?<![\\$`])\$([^$\n]+)\$", page.read_text(), re.S
        ):
            found.append((page.name, next(group for group in match.groups() if group)))
    for source in [*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]:
        for node in ast.walk(ast.parse(source.read_text())):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            text = (ast.get_docstring(node) or "") + "\n"
            found += [(source.name, tex) for tex in re.findall(r":math:`([^`]+)`", text)]
            blocks = re.findall(r"\.\. math::([^\n]*)\n((?:\n|[ \t]+[^\n]*\n?)*)", text)
            found += [(source.name, "\n".join(block)) for block in blocks]
    return found


def _signs(written: str) -> str:
    """All signs of a formula, sorted: converters order accents and indices differently."""
    text = "".join(html.unescape(leaf) for leaf in re.findall(r">([^<]+)<", written))
    text = text.translate(SAME).replace("″", "′′")
    return "".join(
        sorted(sign for sign in text if not sign.isspace() and ord(sign) not in range(0x2060, 0x2065))
    )


def _plain(tex: str) -> str:
    """The formula in the words of the second converter, which takes no fraction without braces."""
    tex = re.sub(r"\s+", " ", tex).strip()
    for command, known in {"dots": r"\\ldots", "iff": r"\\Leftrightarrow"}.items():
        tex = re.sub(rf"\\{command}(?![a-zA-Z])", known, tex)
    tex = re.sub(r"\\(big|Big)[lr]?(?![a-zA-Z])", "", tex)
    tex = re.sub(r"\\[td]frac", r"\\frac", tex)
    braced = lambda group: group if group.startswith("{") else f"{{{group}}}"  # noqa: E731
    for _ in range(2):  # a fraction within one
        tex = re.sub(rf"\\frac\s*{GROUP}\s*{GROUP}", lambda m: rf"\frac{braced(m[1])}{braced(m[2])}", tex)
    return tex


def test_a_fraction_without_braces_has_one_character_each():
    assert re.sub("<[^>]*>", " ", mathml(r"\tfrac12\rho")).split() == ["1", "2", "&#x003C1;"]
    half = re.search(r"<mfrac>(.*?)</mfrac>", mathml(r"\tfrac43 E"))
    assert re.sub("<[^>]*>", " ", half[1]).split() == ["4", "3"]


def test_functions_have_upright_letters_and_spacing():
    thin = '<mspace width="0.167em" />'
    written = mathml(r"2\cos^2\psi\sin\varphi")
    assert written.count(thin) == 4  # before and after each
    assert mathml(r"\sin(x)").count(thin) == 0
    assert "<mtext>atan2</mtext>" in mathml(r"\operatorname{atan2}(x, y)")
    assert "<mo>&#x000B1;</mo>" in mathml(r"a \pm b")


def test_every_part_of_a_formula_has_as_many_parts_as_it_needs():
    needs = {"msup": 2, "msub": 2, "mfrac": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
    for where, tex in _formulas():
        for part in ElementTree.fromstring(mathml(tex)).iter():
            number = needs.get(part.tag.split("}")[-1], len(part))
            assert len(part) == number, (where, tex)


def test_lines_that_are_aligned_become_rows_of_a_table():
    assert mathml(r"a &= b \\ c &= d").count("<mtr>") == 2


def test_an_unknown_latex_command_is_an_error():
    with pytest.raises(ValueError, match=r"not known to the converter: \\unheardof"):
        mathml(r"a + \unheardof")


def test_formulas_equal_those_of_a_second_converter():
    formulas = _formulas()
    wrong, judged = [], 0
    for where, tex in formulas:
        ours = mathml(tex)
        try:
            theirs = docutils.tex2mathml(_plain(tex))
        except (AttributeError, SyntaxError):  # it takes no lines that are aligned
            assert "&" in tex or r"\\" in tex, (where, tex)
            continue
        judged += 1
        if _signs(ours) != _signs(theirs) or ours.count("<mfrac") != theirs.count("<mfrac"):
            wrong.append((where, tex, _signs(ours), _signs(theirs)))
    assert judged > 1000
    assert not wrong, wrong[:5]
