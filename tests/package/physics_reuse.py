"""Which physics serves which study, counted in lines: `python tests/package/physics_reuse.py` prints it.

A study uses a definition (a class, function or constant at the top of a module) if its Python files name it, if a file
of it names its kind, or if a definition that it uses names it, through whatever package but those that show things.
Lines of a definition are its own, docstring and decorators included; what stands between definitions (imports, the
module's docstring) counts for every study that uses one of them. A file that only passes names on counts nothing.
Nothing is run: a method that is called on whatever comes is not followed.

Beside what a study's files name there is what they could: a part of it whose field is declared by a family,
`law: NormalLaw`, takes every member (`offered`), as `tests/studies/test_exchange.py` and its like prove.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dovetail

SOURCE = Path(dovetail.__file__).parent
ROOMS = ("mechanics", "air", "sea", "specimens")
ONLOOKERS = ("report", "scene", "view", "cli")  # they know every part, and no part knows them
ANYTHING = ("Part", "Flow", "Substructure", "Specimen")  # families that say nothing of what is asked for
STUDIES = tuple(
    sorted(folder.name for folder in (SOURCE / "studies").iterdir() if (folder / "study.toml").exists())
)


class Definition(NamedTuple):
    """Where a name is defined, and the names that it uses: (module, name) each."""

    lines: int
    uses: frozenset[tuple[str, str]]


class Module(NamedTuple):
    """What a file defines, imports, and how long it is."""

    size: int
    trees: dict[str, list[ast.stmt]]
    imported: dict[str, tuple[str, str]]  # local name to (module, name), or (module, "") for a module


def name_of(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Module]:
    """Every module of the package."""
    return {name_of(file): _read(file) for file in sorted(SOURCE.rglob("*.py"))}


def _read(file: Path) -> Module:
    text = file.read_text("utf-8")
    tree, trees, imported = ast.parse(text), {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dovetail"):
            for alias in node.names:
                imported[alias.asname or alias.name] = (node.module, alias.name)
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            trees.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for leaf in ast.walk(target):
                    if isinstance(leaf, ast.Name) and leaf.id != "__all__":
                        trees.setdefault(leaf.id, []).append(node)
    return Module(len(text.splitlines()), trees, imported)


def place(module: str, name: str) -> tuple[str, str] | None:
    """Where a name that can be had from a module is defined, through packages that pass it on."""
    for _ in range(10):
        found = modules().get(module)
        if found is None:
            return None
        if name in found.trees:
            return module, name
        if f"{module}.{name}" in modules():
            return f"{module}.{name}", ""
        if name not in found.imported:
            return None
        module, name = found.imported[name]
    return None


def _named(module: str, node: ast.AST) -> set[tuple[str, str]]:
    """Definitions that a piece of a module names."""
    own, found = modules()[module], set()
    for leaf in ast.walk(node):
        if isinstance(leaf, ast.Name):
            if leaf.id in own.trees:
                found.add((module, leaf.id))
            elif leaf.id in own.imported:
                found.add(place(*own.imported[leaf.id]))
        elif isinstance(leaf, ast.Attribute) and isinstance(leaf.value, ast.Name):
            at = place(*own.imported[leaf.value.id]) if leaf.value.id in own.imported else None
            if at and not at[1]:
                found.add(place(at[0], leaf.attr))
    return {at for at in found if at and at[1]}


@cache
def definitions() -> dict[tuple[str, str], Definition]:
    """All of them."""
    out = {}
    for module, content in modules().items():
        for name, nodes in content.trees.items():
            lines = sum(_end(node) - _begin(node) + 1 for node in nodes)
            uses = set().union(*(_named(module, node) for node in nodes)) - {(module, name)}
            out[module, name] = Definition(lines, frozenset(uses))
    return out


def _begin(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


@cache
def by_kind() -> dict[str, tuple[str, str]]:
    """Where each registered kind is defined."""
    out = {}
    for module, content in modules().items():
        for name, nodes in content.trees.items():
            for decorator in getattr(nodes[0], "decorator_list", []):
                if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "kind":
                    out[ast.literal_eval(decorator.args[0])] = (module, name)
    return out


def named_in_files(study: str) -> set[str]:
    """Kinds that the files of a study name."""
    found: set[str] = set()

    def walk(value):
        if isinstance(value, dict):
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        elif isinstance(value, str) and value in by_kind():
            found.add(value)

    for file in (SOURCE / "studies" / study).rglob("*.toml"):
        walk(tomllib.loads(file.read_text("utf-8")))
    for file in (SOURCE / "studies" / study).rglob("*.py"):
        found.update(k for k in re.findall(r'"([a-z0-9-]+)"', file.read_text("utf-8")) if k in by_kind())
    return found


@cache
def members() -> dict[tuple[str, str], frozenset[tuple[str, str]]]:
    """Of every class, those of a kind that are built on it, directly or not."""
    bases = {}
    for at in definitions():
        node = modules()[at[0]].trees[at[1]][0]
        if isinstance(node, ast.ClassDef):
            bases[at] = set().union(*(_named(at[0], base) for base in node.bases))
    out: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for member in by_kind().values():
        todo = [member]
        while todo:
            for base in bases.get(todo.pop(), ()):
                out.setdefault(base, set()).add(member)
                todo.append(base)
    return {base: frozenset(found) for base, found in out.items()}


def taken(at: tuple[str, str]) -> set[tuple[str, str]]:
    """Members of the families that the fields of a class are declared by, where it is physics or a study's own."""
    module, name = at
    node = modules()[module].trees[name][0]
    if not isinstance(node, ast.ClassDef) or module.split(".")[1] not in (*ROOMS, "studies"):
        return set()
    fields = [inner.annotation for inner in node.body if isinstance(inner, ast.AnnAssign)]
    families = {at for field in fields for at in _named(module, field) if at[1] not in ANYTHING}
    return set().union(*(members().get(family, frozenset()) for family in families))


@cache
def used_by(study: str, offered: bool = False) -> frozenset[tuple[str, str]]:
    """Every definition that a study uses, or that its parts would take as well."""
    begin = {at for at in definitions() if at[0].startswith(f"dovetail.studies.{study}.")}
    todo = list(begin | {by_kind()[name] for name in named_in_files(study)})
    seen = set(todo)
    while todo:
        at = todo.pop()
        for further in (definitions()[at].uses | (taken(at) if offered else set())) - seen:
            if further[0].partition(".")[2].partition(".")[0] not in ONLOOKERS:
                seen.add(further)
                todo.append(further)
    return frozenset(seen)


def table(offered: bool = False) -> dict[tuple[str, str], tuple[int, frozenset[str]]]:
    """Lines of each definition in the rooms of physics, and the studies that use it; "" is what stands between them."""
    out = {}
    for module, content in modules().items():
        if module.split(".")[1:2] and module.split(".")[1] in ROOMS:
            users: set[str] = set()
            for name in content.trees:
                of = frozenset(study for study in STUDIES if (module, name) in used_by(study, offered))
                out[module, name] = definitions()[module, name].lines, of
                users |= of
            rest = content.size - sum(out[module, name][0] for name in content.trees)
            if content.trees:
                out[module, ""] = max(rest, 0), frozenset(users)
    return out


def shares(offered: bool = False) -> dict[str, float]:
    """Shares of the lines that no study, one study, and two or more use."""
    count: Counter[str] = Counter()
    for lines, users in table(offered).values():
        count[("none", "one")[len(users)] if len(users) < 2 else "several"] += lines
    return {name: count[name] / count.total() for name in ("none", "one", "several")}


def unused() -> list[tuple[str, str]]:
    """Definitions of the physics that no study takes and no example, page, benchmark, capability or other room names.

    A page or an example names a definition by its word or by its kind; a capability by the file of its tests.
    """
    root = Path(__file__).resolve().parents[2]  # of the clone: SOURCE may be an installed copy
    files = [*(root / "examples").rglob("*.py"), *(root / "bench").glob("*.py"), root / "README.md"]
    files += [page for page in (root / "docs").rglob("*.md") if "_build" not in page.parts]
    promised = re.findall(r'"(tests/[^":]+)::', (SOURCE / "studies/capabilities.toml").read_text("utf-8"))
    text = "\n".join(file.read_text("utf-8") for file in (*files, *(root / file for file in set(promised))))
    words, kinds = set(re.findall(r"\w+", text)), set(re.findall(r"[a-z0-9-]+", text))
    rows = table(offered=True)
    seen = {at for at in definitions() if at not in rows or at[1] in words or rows[at][1]}
    seen |= {at for name, at in by_kind().items() if name in kinds}
    todo = list(seen)
    while todo:
        for further in definitions()[todo.pop()].uses - seen:
            seen.add(further)
            todo.append(further)
    return sorted(at for at in rows if at[1] and at not in seen)


def main() -> None:
    rows = table()
    total = sum(lines for lines, _ in rows.values())
    for offered, said in ((False, "used by"), (True, "used or taken by")):
        found = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares(offered).items())
        print(f"{total} lines of {', '.join(ROOMS)}, {said} so many studies: {found}")
    for room in ROOMS:
        for users in sorted({u for at, (_, u) in rows.items() if at[0].split(".")[1] == room}, key=sorted):
            lines = sum(n for at, (n, u) in rows.items() if u == users and at[0].split(".")[1] == room)
            print(f"  {room:<10} {lines:6d}  {', '.join(sorted(users)) or 'none'}")
    print("used by nothing: " + (", ".join(f"{module}.{name}" for module, name in unused()) or "nothing"))


if __name__ == "__main__":
    main()
