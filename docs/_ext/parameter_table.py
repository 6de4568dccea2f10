"""The declared parameters of a part, as a table under its docstring: name, unit, meaning, range, default."""

import dataclasses
import inspect

from dovetail.cli.parts import parameter_rows


def add_table(app, what, name, value, options, lines):
    if what != "class" or not dataclasses.is_dataclass(value) or not inspect.isclass(value):
        return
    rows = [
        (f"``{name}``", unit, about, allowed, default if default == "required" else f"``{default}``")
        for name, unit, default, allowed, about in parameter_rows(value)
    ]
    if not rows:
        return
    lines += ["", ".. list-table::", "   :header-rows: 1", "   :class: parameters", ""]
    for row in [("parameter", "unit", "meaning", "range", "default"), *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    lines.append("")


def setup(app):
    app.connect("autodoc-process-docstring", add_table, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
