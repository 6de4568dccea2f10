"""Table of the parameters of a part, with its sources and an example, as printed by `dovetail parts`."""

import dataclasses
import inspect

from dovetail.cli.parts import example
from dovetail.core.kind_names import name_of
from dovetail.core.parameter_text import MARK, other_lines, parameter_rows


def cut(app, what, name, value, options, lines):
    """Take away what help() shows as text: it is a table here. Before others read the sections of the docstring."""
    if MARK in lines:
        del lines[lines.index(MARK) :]


def add_table(app, what, name, value, options, lines):
    if what != "class" or not dataclasses.is_dataclass(value) or not inspect.isclass(value):
        return
    rows = [
        (f"``{name}``", unit, about, allowed, default if default == "required" else f"``{default}``")
        for name, unit, default, allowed, about in parameter_rows(value)
    ]
    if rows:
        lines += ["", ".. list-table::", "   :header-rows: 1", "   :class: parameters", ""]
        for row in [("parameter", "unit", "meaning", "range", "default"), *rows]:
            lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
        lines.append("")
    kind = name_of(value)
    if kind is not None:
        lines += [f"| {line}" for line in other_lines(value) if line.startswith("source: ")]
        lines += [
            "",
            ".. code-block:: toml",
            "",
            *(f"   {line}" for line in example(kind, value).splitlines()),
            "",
        ]


def setup(app):
    app.connect("autodoc-process-docstring", cut, priority=100)
    app.connect("autodoc-process-docstring", add_table, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
