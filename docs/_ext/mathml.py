"""Mathematics as MathML, which browsers draw themselves: no script, no network."""

import re

from docutils.utils.math import mathalphabet2unichar as alphabets
from latex2mathml.converter import convert

# what the converter does not know, and what says the same
ALIASES = {r"\arg": r"\operatorname{arg}", r"\iff": r"\Leftrightarrow"}
for _matrix, _open, _close in (
    ("pmatrix", "(", ")"),
    ("bmatrix", "[", "]"),
):  # brackets as high as the matrix
    ALIASES[rf"\begin{{{_matrix}}}"] = rf"\left{_open}\begin{{matrix}}"
    ALIASES[rf"\end{{{_matrix}}}"] = rf"\end{{matrix}}\right{_close}"
ALIASES |= dict.fromkeys([r"\big", r"\Big", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"], "")


def mathml(tex: str, *, block: bool = False) -> str:
    """A formula in LaTeX as MathML. Raises `ValueError` where the converter left a command as it was."""
    tex = re.sub(r"\s+", " ", tex).strip()
    tex = re.sub(r"\\operatorname\{(\w*\d)\}", r"\\text{\1}", tex)  # else its letters are single ones
    for command, known in ALIASES.items():
        end = r"(?![a-zA-Z])" if command[-1].isalpha() else ""
        tex = re.sub(re.escape(command) + end, lambda _, known=known: known, tex)
    for name in (
        "mathcal",
        "mathsf",
        "mathbf",
    ):  # as signs of their own: browsers draw no other variant of a letter
        letters = getattr(alphabets, name)
        letter = rf"\\{name}(?:\s*([A-Za-z])|\{{([A-Za-z])\}})"
        tex = re.sub(letter, lambda m, letters=letters: letters[m[1] or m[2]], tex)
    if (r"\\" in tex or "&" in tex) and r"\begin{" not in tex:
        tex = rf"\begin{{align*}} {tex} \end{{align*}}"
    converted = convert(tex, display="block" if block else "inline")
    converted = _spaced(converted)
    left = re.findall(r">(\\[^<]*)<|&#x0005C;(\w*)", converted)
    if left:
        raise ValueError(f"not known to the converter: {', '.join(max(pair) for pair in left)}")
    return converted


FUNCTION = r"<mi>(?:arc)?(?:sin|cos|tan|ln|log|exp)</mi>"
THIN = '<mspace width="0.167em" />'


def _spaced(converted: str) -> str:
    """Plus-minus as an operator, and thin spaces before and after a function without brackets, as in print."""
    converted = converted.replace("<mi>&#x000B1;</mi>", "<mo>&#x000B1;</mo>")
    name = rf"{FUNCTION}|<msup>{FUNCTION}<mn>\d+</mn></msup>"
    converted = re.sub(rf"(?<!<msup>)({name})(?=<m[a-z])(?!<mo|<mspace)", rf"\1{THIN}", converted)
    return re.sub(rf"(</mi>|</mn>|</msub>|</msup>|</mfrac>)({name})", rf"\1{THIN}\2", converted)


def _written(self, node, *, block: bool) -> str:
    from sphinx.util import logging

    try:
        return mathml(node.astext(), block=block)
    except Exception as error:  # the converter has no error of its own; a warning ends the build
        logging.getLogger(__name__).warning(
            "mathematics that cannot be converted: %s: %s", node.astext(), error, location=node
        )
        return f"<code>{node.astext()}</code>"


def _inline(self, node):
    from docutils.nodes import SkipNode

    self.body.append(_written(self, node, block=False))
    raise SkipNode


def _block(self, node):
    from docutils.nodes import SkipNode

    self.body.append(f'<div class="math">{_written(self, node, block=True)}</div>')
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
