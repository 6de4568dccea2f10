"""Examples import only existing names; checked before the documentation is built."""

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(file for room in ("examples", "docs", "bench") for file in (ROOT / room).rglob("*.py"))


def asked_for(file: Path) -> list[tuple[str, str]]:
    """Modules of the package and the names that a file takes from them."""
    tree = ast.parse(file.read_text("utf-8"))
    found = [
        n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("dovetail")
    ]
    return [(node.module, alias.name) for node in found for alias in node.names]


def is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name) or bool(
            importlib.util.find_spec(f"{module}.{name}")
        )
    except ModuleNotFoundError as error:
        return not (error.name or "").startswith("dovetail")  # an extra that is not installed here


def test_examples_documentation_and_benchmarks_import_existing_names():
    if not (ROOT / "examples").is_dir():
        pytest.skip("the examples are not part of what is installed")
    wrong = {
        str(f.relative_to(ROOT)): [x for x in asked_for(f) if not is_there(*x)]
        for f in FILES
        if not {"_build", "gallery"} & set(f.parts)
    }
    assert not {file: names for file, names in wrong.items() if names}


def test_a_missing_name_is_detected(tmp_path):
    file = tmp_path / "example.py"
    file.write_text(
        "from dovetail.report.ship_deck import DeckScene, Sceneries\nfrom dovetail.core import units\n",
        "utf-8",
    )
    assert [name for module, name in asked_for(file) if not is_there(module, name)] == ["Sceneries"]
