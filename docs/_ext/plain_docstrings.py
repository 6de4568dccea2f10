"""Docstrings are written to be read in the source: `code` in single backticks, |x| for a magnitude.

This turns them into what reStructuredText wants, outside mathematics and literal blocks. The widths of words
in backticks are kept, because they may stand in a table; `default_role` makes them code.
"""

import re

from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

_RAW = re.compile(r"^\s*\.\. (?:math|code-block|list-table|toctree)::|(?:^|[^:])::$")
# what is to be left alone, then code, then a bar
_SPANS = re.compile(r"(?P<keep>``.+?``|:\w+:`[^`]+`|`[^`]+`_)|`(?P<code>[^`]+?)\s*`|(?P<bar>(?<!\\)\|)", re.S)

_ARRAY_LIKE = [stringify_annotation(ArrayLike, mode) for mode in ("smart", "fully-qualified")]


def _span(found: re.Match) -> str:
    return found["keep"] or (r"\|" if found["bar"] else f"`{found['code']}`")


def rewrite(app, what, name, value, options, lines):
    if lines and lines[0].startswith("Alias for field number"):
        lines.clear()  # what Python says of a named tuple, not its author
        return
    for i, line in enumerate(lines[:-1]):
        if line.strip() == "Attributes" and set(lines[i + 1].strip()) == {"-"}:
            lines[i] = line.replace("Attributes", "Parameters")  # which may share a line: "rate, duration"
    blocks: list[tuple[bool, list[str]]] = [(False, [])]  # (leave alone, lines)
    directive = None  # indentation of the directive whose block we are in
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if directive is not None and line.strip() and indent <= directive:
            directive = None
        if directive is None and _RAW.search(line):
            directive = indent
        if blocks[-1][0] != (directive is not None):
            blocks.append((directive is not None, []))
        blocks[-1][1].append(line)
    lines[:] = [
        line
        for alone, block in blocks
        for line in (block if alone else _SPANS.sub(_span, "\n".join(block)).split("\n"))
        if block
    ]


def plain_signature(text: str | None) -> str | None:
    """An array is an `Array`, not the room it was made in; a default is a name or `...`, so that the rest is read."""
    if text is None:
        return None
    for whole in _ARRAY_LIKE:
        text = text.replace(whole, "ArrayLike")
    text = re.sub(r"~?(?:jax\.)?jaxlib\._jax\.Array\b", "~jax.Array", text)
    text = re.sub(r"<(?:built-in )?function (\w+)(?: at 0x\w+)?>|<class '(?:\w+\.)*(\w+)'>", r"\1\2", text)
    return re.sub(r"<function [\w.]*<lambda>[^>]*>|<[\w.]+(?: object)?(?: at 0x\w+)?>", "...", text)


def rewrite_signature(app, what, name, value, options, signature, returned):
    return plain_signature(signature), plain_signature(returned)


def setup(app):
    app.connect("autodoc-process-docstring", rewrite, priority=100)
    app.connect("autodoc-process-signature", rewrite_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
