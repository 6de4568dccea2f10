"""The declared parameters of a part, as a table under its docstring: name, unit, meaning, range, default."""

import dataclasses
import inspect

from dovetail.core.parameter import declared


def _rows(cls):
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for name, parameter in declared(cls).items():
        if parameter.choices:
            allowed = ", ".join(f"``{choice}``" for choice in parameter.choices)
        else:
            unbounded = parameter.range_text.startswith("must be  ") or parameter.range_text == "must be "
            allowed = "" if unbounded else parameter.range_text.removeprefix("must be ")
        default = fields[name].default
        shown = "required" if default is dataclasses.MISSING else f"``{_show(default)}``"
        unit = "" if parameter.unit == "1" else parameter.unit
        yield f"``{name}``", unit, parameter.about, allowed, shown


def _show(default) -> str:
    return (
        default
        if isinstance(default, str)
        else f"{default:g}"
        if isinstance(default, int | float)
        else str(default)
    )


def add_table(app, what, name, value, options, lines):
    if what != "class" or not dataclasses.is_dataclass(value) or not inspect.isclass(value):
        return
    rows = list(_rows(value))
    if not rows:
        return
    lines += ["", ".. list-table::", "   :header-rows: 1", "   :class: parameters", ""]
    for row in [("parameter", "unit", "meaning", "range", "default"), *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    lines.append("")


def setup(app):
    app.connect("autodoc-process-docstring", add_table, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
