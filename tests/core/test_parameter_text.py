"""`help()`, the documentation and `dovetail parts` describe a part equally."""

import importlib.util
import pydoc
from pathlib import Path

from dovetail.cli.parts import part_description
from dovetail.core.kinds import all_kinds, find
from dovetail.core.parameter_text import MARK, docstring, parameter_rows

EXTENSION = Path(__file__).resolve().parents[2] / "docs" / "_ext" / "parameter_table.py"


def page(cls) -> str:
    """Return the text of a class in the documentation."""
    spec = importlib.util.spec_from_file_location("parameter_table", EXTENSION)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = (cls.__doc__ or "").splitlines()
    module.cut(None, "class", cls.__name__, cls, None, lines)
    module.add_table(None, "class", cls.__name__, cls, None, lines)
    return "\n".join(lines)


def test_help_lists_every_parameter_of_every_kind():
    for name, cls in all_kinds().items():
        text = pydoc.render_doc(cls, renderer=pydoc.plaintext)
        below = text.partition(MARK)[2]
        assert f'kind = "{name}"' in below
        assert docstring(cls).splitlines()[0].strip() in text
        for parameter, unit, default, allowed, about in parameter_rows(cls):
            line = next(line for line in below.splitlines() if line.strip(" |").startswith(f"{parameter} "))
            assert all(word in line for word in (unit, default, allowed, about)), (name, line)


def test_the_page_and_the_command_have_the_same_content():
    cls = find("kanai-tajimi")
    for text in (page(cls), part_description("kanai-tajimi", cls)):
        for words in (
            "rms of the strong part",
            "m/s^2",
            "at least 0",
            "required",
            "kanai1957",
            'kind = "kanai-tajimi"',
        ):
            assert words in text
    assert MARK not in page(cls)
    assert page(cls).count("rms of the strong part") == 1


def test_the_text_is_added_to_a_docstring_once():
    cls = find("delay")
    assert cls.__doc__.count(MARK) == 1
    assert MARK not in docstring(cls)
