"""No module imports itself through others; imports inside functions and names that a package loads lazily count."""

import ast
import graphlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def modules(source: Path) -> dict[str, Path]:
    """Files of the modules below a folder, by their dotted names."""
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in source.rglob("*.py")
    }


def imported_names(path: Path, *, typing_only: bool = False) -> set[tuple[str, str]]:
    """Module and name of each import of a file, in functions too; or those for type checkers only."""
    tree = ast.parse(path.read_text("utf-8"))
    blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    for_typing = {inner for block in blocks for statement in block.body for inner in ast.walk(statement)}
    names = set()
    for node in ast.walk(tree):
        if (node in for_typing) != typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {(alias.name, "") for alias in node.names}
    return names


def graph(source: Path) -> dict[str, set[str]]:
    """Modules that each module imports. A name of a package stands for the module that defines it."""
    files = modules(source)
    lazy = {
        (package, name): module if f"{module}.{name}" not in files else f"{module}.{name}"
        for package, path in files.items()
        if path.name == "__init__.py"
        for module, name in imported_names(path, typing_only=True)
    }

    def module_of(module: str, name: str) -> str:
        if f"{module}.{name}" in files:
            return f"{module}.{name}"
        other = lazy.get((module, name), module)
        return other if other == module else module_of(other, name)

    return {
        module: {module_of(*name) for name in imported_names(path)} & set(files) - {module}
        for module, path in files.items()
    }


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """Modules of a cycle, the first again at the end; empty if there is none."""
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_module_imports_itself_through_others():
    assert not (members := cycle(graph(ROOT / "src"))), " -> ".join(members)


def test_a_cycle_through_a_function_and_a_lazy_name_is_detected(tmp_path):
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("if TYPE_CHECKING:\n    from p.b import thing\n")
    (package / "a.py").write_text("from p import thing\n")
    (package / "b.py").write_text("def f():\n    from p.a import other\n")
    assert set(cycle(graph(tmp_path))) == {"p.a", "p.b"}
    (package / "b.py").write_text("if TYPE_CHECKING:\n    from p.a import other\n")
    assert cycle(graph(tmp_path)) == []
