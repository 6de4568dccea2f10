"""Units of parameters: a frequency is in Hz, an omega in rad/s."""

import ast
import importlib
import pkgutil
from pathlib import Path

import dovetail
from dovetail.core import Part
from dovetail.core.block import Method
from dovetail.core.kinds import parts_by_kind
from dovetail.core.parameter import declared_parameters
from dovetail.core.units import PARAMETER, SIGNAL, to_si

TURNS = ("speed", "velocity")  # a parameter in rad/s with this name is a motion, not a frequency


def parts():
    """Every registered kind, and every part of which there is one kind."""
    for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
        if not module.name.startswith(("dovetail.cli", "dovetail.view")):
            importlib.import_module(module.name)
    found, todo = set(parts_by_kind().values()), [Part, Method]
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        if cls.__module__.startswith("dovetail."):
            found.add(cls)
    return sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__))


def test_a_frequency_is_in_hertz_and_an_omega_in_radians_a_second():
    wrong, seen = [], 0
    for cls in parts():
        for name, about in declared_parameters(cls).items():
            words = name.split("_")
            seen += about.unit in ("Hz", "rad/s")
            if {"frequency", "frequencies"} & set(words) and words[-1] != "ratio" and about.unit != "Hz":
                wrong.append(f"{cls.__name__}.{name} is in {about.unit}; a frequency is in Hz")
            if "omega" in words and about.unit != "rad/s":
                wrong.append(f"{cls.__name__}.{name} is in {about.unit}; an omega is in rad/s")
            if about.unit == "rad/s" and "omega" not in words and words[-1] not in TURNS:
                wrong.append(f"{cls.__name__}.{name} is in rad/s; call it omega, or give it in Hz")
    assert not wrong, "\n".join(wrong)
    assert seen > 30  # the walk went somewhere


def test_every_parameter_unit_is_valid_and_converts_to_itself():
    units = {
        about.unit for cls in parts() for about in declared_parameters(cls).values() if not about.choices
    }
    for unit in units - {PARAMETER, SIGNAL, "1"}:
        assert to_si(f"2.5 {unit}", unit) == 2.5


def test_results_too_call_hertz_a_frequency_and_radians_a_second_an_omega():
    wrong, seen = [], 0
    units = {
        "frequency": ("[Hz]", "[rad/s]"),
        "frequencies": ("[Hz]", "[rad/s]"),
        "omega": ("[rad/s]", "[Hz]"),
    }
    for path in sorted(Path(dovetail.__file__).parent.rglob("*.py")):
        text = path.read_text()
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name, said = node.target.id, lines[node.lineno - 1].partition("#")[2]
            elif isinstance(node, ast.FunctionDef):
                name, said = node.name, (ast.get_docstring(node) or "").partition("\n")[0]
            else:
                continue
            right, other = units.get(name.split("_")[-1], ("", ""))
            seen += bool(right) and right in said
            if other and other in said and right not in said:
                wrong.append(f"{path.name}:{node.lineno}: {name} is in {other}; it must be in {right}")
    assert not wrong, "\n".join(wrong)
    assert seen > 15  # the rule was about something
