"""Mathematics as MathML, which browsers draw themselves: no script, no network."""

import re

from docutils.utils.math import latex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)
# commands that docutils does not know, and what says nearly the same
ALIASES = {r"\dots": r"\ldots", r"\iff": r"\Leftrightarrow", r"\tfrac": r"\frac", r"\dfrac": r"\frac"}
ALIASES |= dict.fromkeys([r"\big", r"\Big", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"], "")


def _mathml(node, *, block: bool) -> str:
    tex = re.sub(r"\s+", " ", node.astext()).strip()
    for command, known in ALIASES.items():
        tex = re.sub(re.escape(command) + r"(?![a-zA-Z])", lambda _, known=known: known, tex)
    try:
        return latex2mathml.tex2mathml(tex, as_block=block)
    except (SyntaxError, ValueError) as error:
        log.warning("mathematics that cannot be converted: %s: %s", tex, error, location=node)
        return f"<code>{tex}</code>"


def _inline(self, node):
    self.body.append(_mathml(node, block=False))
    raise _skip()


def _block(self, node):
    self.body.append(f'<div class="math">{_mathml(node, block=True)}</div>')
    raise _skip()


def _skip():
    from docutils.nodes import SkipNode

    return SkipNode()


def setup(app):
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("config-inited", lambda app, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
