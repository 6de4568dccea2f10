"""Each package imports only packages above it; checked in the source without running it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
PACKAGES = [  # in the order of dependence
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
    "assess",
    "campaign",
    "studies",
    "scene",
    "report",
    "view",
    "app",
    "studio",
    "cli",
]
LAZILY = "lazily"  # how packages load their names: belongs to no package
SEPARATE = {("view", "report")}  # packages that do not know each other, in spite of the order
MODULE = re.compile(r"dovetail(\.[a-z_0-9]+)+")  # a module named in a string: imported, or its folder opened


@cache
def imports(file: Path, *, at_top: bool = False) -> tuple[str, ...]:
    """What a file imports, read once."""
    return tuple(_imports(file, at_top))


def _imports(file: Path, at_top: bool) -> Iterator[str]:
    """Rooms of Dovetail that a file imports, or names in strings; what only a type checker sees is not.

    Inside functions too, unless only what happens `at_top`, when the file is imported, is asked for.
    A package loads what its own file shows to type checkers (`dovetail.lazily`): that counts.
    """
    tree = ast.parse(file.read_text("utf-8"))
    if not at_top:
        yield from opened(tree)
    package = ["dovetail", *file.relative_to(SOURCE).parent.parts]
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        unseen = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if unseen and file.name != "__init__.py":
            continue
        if at_top and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.Constant) and MODULE.fullmatch(str(node.value)) and not at_top:
            names = [str(node.value)] if str(node.value).split(".")[1] in rooms() else []
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" if module == "dovetail" else module for alias in node.names]
        else:
            continue
        found = (name.split(".")[1] for name in names if name.startswith("dovetail."))
        yield from (room for room in found if room not in (LAZILY, "__version__"))


def opened(tree: ast.AST) -> Iterator[str]:
    """Rooms that a file reaches by a path from its own place or from the package's."""
    starts = ["__file__", "files('dovetail')"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(start in ast.unparse(node.value) for start in starts):
            starts += [ast.unparse(target) for target in node.targets]  # a place that is kept under a name
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.Call) and ast.unparse(node).startswith(("Path(", *starts)):
            if not any(start in ast.unparse(node) for start in starts):
                continue
            strings = [leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)]
            first = (str(value).split("/")[0] for value in strings)
            yield from (name for name in first if name in rooms())


def rooms() -> list[str]:
    return sorted(p.name for p in SOURCE.iterdir() if p.is_dir() and any(p.rglob("*.py")))


def test_every_package_has_a_position_in_the_order():
    assert set(rooms()) <= set(PACKAGES)


@pytest.mark.parametrize("room", rooms())
def test_a_package_depends_only_on_those_above_it(room):
    allowed = {*PACKAGES[: PACKAGES.index(room) + 1]} - {other for one, other in SEPARATE if one == room}
    wrong = [
        f"{file.relative_to(SOURCE)} imports {other}"
        for file in sorted((SOURCE / room).rglob("*.py"))
        for other in imports(file)
        if other not in allowed
    ]
    assert not wrong, "\n".join(wrong)


def packages() -> list[Path]:
    """The rooms, and the packages in them; of the studies only the room."""
    found = sorted(file.parent for file in SOURCE.rglob("*/__init__.py"))
    return [p for p in found if "studies" not in p.parts or p == SOURCE / "studies"]


def said(package: Path) -> set[str]:
    """What the first docstring names after "Depends on:", up to the end of the sentence."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    sentence = re.search(r"Depends on:(.*?)(?:\.\s|\.$)", docstring, re.DOTALL)
    assert sentence, f"{package.relative_to(SOURCE)}: its docstring says not what it depends on"
    return set(re.findall(r"[a-z_]+", sentence[1]))


def neighbours(package: Path) -> set[str]:
    """Packages beside a package that it imports: rooms, or packages of the same room."""
    if package.parent == SOURCE:
        return {other for file in package.rglob("*.py") for other in imports(file)} - {package.name}
    inside = re.compile(
        rf"(?:from|import) dovetail\.{'.'.join(package.parent.relative_to(SOURCE).parts)}\.(\w+)"
    )
    found = {other for file in package.rglob("*.py") for other in inside.findall(file.read_text("utf-8"))}
    return {other for other in found - {package.name} if (package.parent / other).is_dir()}


@pytest.mark.parametrize("package", packages(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_package_depends_only_on_packages_in_its_docstring(package):
    words, found = said(package), neighbours(package)
    if "everything" in words:
        return
    beside = {p.name for p in package.parent.iterdir() if p.is_dir()}
    assert found <= words, f"not said: {sorted(found - words)}"
    assert words & beside <= found, f"said and not needed: {sorted((words & beside) - found)}"
    if package.parent != SOURCE:
        others = {other for file in package.rglob("*.py") for other in imports(file)} - {
            package.relative_to(SOURCE).parts[0]
        }
        assert others <= words, f"not said: {sorted(others - words)}"


def test_a_package_named_in_a_string_or_path_counts_as_imported():
    tree = ast.parse(
        "a = Path(__file__).parents[1] / 'studies' / 'x.toml'\nb = files('dovetail').joinpath('air/y')"
    )
    assert list(dict.fromkeys(opened(tree))) == ["studies", "air"]
    assert MODULE.fullmatch("dovetail.studies.parts")


def test_no_module_imports_a_study_from_another():
    studies = [path.name for path in (SOURCE / "studies").iterdir() if (path / "study.toml").exists()]
    for study in studies:
        for file in (SOURCE / "studies" / study).rglob("*.py"):
            for other in set(studies) - {study}:
                assert f"dovetail.studies.{other}" not in file.read_text("utf-8"), f"{file} leans on {other}"
