"""Each package leans only on those above it. Read from the imports, nothing is run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
ROOMS = [
    "core",
    "mechanics",
    "air",
    "sea",
    "transfer",
    "specimens",
    "compensation",
    "stability",
    "testing",
    "links",
    "fidelity",
    "design",
    "campaign",
    "studies",
]
OBSERVERS = ["report", "view", "cli"]  # may use everything; no room uses them

# Imports against the order, each inside a function so that it happens only when asked for: why
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("testing/run.py", "report"): "a run draws itself and writes its report",
    ("testing/test.py", "links"): "a test runs itself against a rig",
    ("testing/runnable.py", "report"): "a test draws its loop in a notebook, a simulation says what it is",
    ("campaign/execute.py", "report"): "a campaign shows its results in a notebook",
}


def imports(file: Path, *, at_top: bool = False) -> Iterator[str]:
    """Rooms of Dovetail that a file imports, inside functions too; what only a type checker sees is not."""
    tree = ast.parse(file.read_text("utf-8"))
    package = ["dovetail", *file.relative_to(SOURCE).parent.parts]
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if at_top and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" if module == "dovetail" else module for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("dovetail."))


def rooms() -> list[str]:
    return sorted(p.name for p in SOURCE.iterdir() if p.is_dir() and any(p.rglob("*.py")))


def test_every_package_has_its_place_in_the_order():
    assert set(rooms()) <= {*ROOMS, *OBSERVERS}


@pytest.mark.parametrize("room", rooms())
def test_a_package_leans_only_on_those_above_it(room):
    allowed = {*ROOMS, *OBSERVERS} if room in OBSERVERS else {*ROOMS[: ROOMS.index(room) + 1]}
    wrong = [
        f"{file.relative_to(SOURCE)} imports {other}"
        for file in sorted((SOURCE / room).rglob("*.py"))
        for other in imports(file)
        if other not in allowed and (str(file.relative_to(SOURCE)), other) not in EXCEPTIONS
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("file", "room"), EXCEPTIONS)
def test_an_exception_is_needed_and_waits_until_it_is_asked_for(file, room):
    assert room in imports(SOURCE / file)
    assert room not in imports(SOURCE / file, at_top=True)


@pytest.mark.parametrize("room", rooms())
def test_a_package_says_what_it_depends_on(room):
    docstring = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text("utf-8"))) or ""
    assert "Depends on:" in docstring


def test_no_module_imports_a_study_from_another():
    studies = [path.name for path in (SOURCE / "studies").iterdir() if (path / "study.toml").exists()]
    for study in studies:
        for file in (SOURCE / "studies" / study).rglob("*.py"):
            for other in set(studies) - {study}:
                assert f"dovetail.studies.{other}" not in file.read_text("utf-8"), f"{file} leans on {other}"
