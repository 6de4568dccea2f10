"""Interfaces and API stability are documented on one page each; code uses roles instead of attributes."""

import ast
import dataclasses
import importlib
import importlib.util
import re
from pathlib import Path

from dovetail.testing import Rig

ROOT = Path(__file__).resolve().parents[2]
SOURCE, DOCS = ROOT / "src" / "dovetail", ROOT / "docs"
spec = importlib.util.spec_from_file_location("interfaces", DOCS / "_ext" / "interfaces.py")
tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tables)
IMPORTS = re.compile(r"^(?:>>> )?from (dovetail[\w.]*) import ([^\n(#]+)", re.M)


def test_every_package_with_interfaces_is_on_the_page():
    page = (DOCS / "interfaces.md").read_text("utf-8")
    listed = re.findall(r"\{project-table\} interfaces (\w+)", page)
    assert sorted(listed) == sorted(tables.rooms())


def test_an_interface_table_lists_members_to_implement():
    rows = {row[0]: row for row in tables.interface_table("core")}
    assert rows["core.block.Flow"][2] == "derivative, init, output"
    assert rows["core.roles.Captioned"][2] == "CAPTIONS, FIRST"
    assert all(len(row[1].split()) > 2 for row in rows.values())


def test_interface_members_are_not_accessed_by_string():
    """`isinstance` with the class or the role says it, and mypy checks what follows."""
    roles = [cls for where, cls in tables.interfaces("core").items() if ".roles." in where]
    promised = {name for role in roles for name in tables.written(role)} - {"faults"}  # a word of many
    promised |= {field.name for field in dataclasses.fields(Rig)} | {
        "excitation_unit",
        "ideal",
        "turning",
        "ends",
    }
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            asked = isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr")
            if asked and isinstance(node.args[1], ast.Constant) and node.args[1].value in promised:
                found.append(f"{file.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert not found, "\n".join(found)


def test_no_base_class_disables_attribute_checks():
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in SOURCE.rglob("*.py")
        for block in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
    ]
    assert not found, "\n".join(found)


def test_public_names_are_those_of_the_api_pages():
    """Every room that `import dovetail` finds has its API page, and every room with an API page is found."""
    listed = re.findall(r"^   dovetail\.(\w+)$", (DOCS / "api" / "index.md").read_text("utf-8"), re.M)
    assert sorted(tables.public_rooms()) == sorted(listed)


def test_pages_use_public_names_only():
    wrong = []
    for page in [
        ROOT / "README.md",
        *DOCS.glob("*.md"),
        *DOCS.glob("how-to/*.md"),
        *DOCS.glob("theory/*.md"),
    ]:
        for place, names in IMPORTS.findall(page.read_text("utf-8")):
            package = importlib.import_module(place)
            listed = getattr(package, "__all__", []) if hasattr(package, "__path__") else []
            for name in (n.split(" as ")[0].strip() for n in names.split(",")):
                inner = importlib.util.find_spec(f"{place}.{name}") if hasattr(package, "__path__") else None
                if name not in listed and not (inner and inner.submodule_search_locations):
                    wrong.append(f"{page.relative_to(ROOT)}: {place}.{name}")
    assert not wrong, "\n".join(wrong)
