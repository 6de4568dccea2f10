"""The shared rooms know no study: neither its name nor its tests nor the chapters of its source are in their code.

Docstrings may cite a source with its section; what runs may not depend on one. The front door (`cli`) opens studies by
name and is not looked at.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "dovetail"
ROOMS = sorted(
    p.name
    for p in SOURCE.iterdir()
    if p.is_dir() and any(p.rglob("*.py")) and p.name not in ("studies", "cli")
)
STUDIES = sorted(p.parent.name for p in (SOURCE / "studies").glob("*/study.toml"))
NAMED = re.compile(
    rf"(?<![a-z])(?<!without )({'|'.join(STUDIES)}|thesis|chapter|case[-_ ]?\d+|cs[1-9])(?!_output|[a-z])",
    re.IGNORECASE,
)
PATHS = re.compile(rf"\b({'|'.join(STUDIES)})/[a-z]|studies\.({'|'.join(STUDIES)})\b")
SOURCES = re.compile(r"^[a-z]+\d{4}[a-z]*$")  # keys of the bibliography


def words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names and strings of a module that are not docstrings, with their lines."""
    held = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and id(node) not in held and not SOURCES.match(str(node.value)):
            yield line, str(node.value)
        for field in ("id", "attr", "name", "arg", "module"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield line, value


def named(file: Path) -> list[str]:
    """Where a file names a study, a chapter or a case."""
    where, text = file.relative_to(SOURCE), file.read_text("utf-8")
    found = [f"{where}: is called so"] if NAMED.search(file.stem) else []
    if file.suffix == ".toml":
        return found + [
            f"{where}:{i}: {line}" for i, line in enumerate(text.splitlines(), 1) if NAMED.search(line)
        ]
    found += [f"{where}:{line}: {word}" for line, word in words(ast.parse(text)) if NAMED.search(word)]
    return found + [
        f"{where}:{i}: {line.strip()}" for i, line in enumerate(text.splitlines(), 1) if PATHS.search(line)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_shared_packages_name_no_study(room):
    files = [*(SOURCE / room).rglob("*.py"), *(SOURCE / room).rglob("*.toml")]
    wrong = [line for file in sorted(files) for line in named(file)]
    assert not wrong, "\n".join(wrong)


def test_the_check_detects_names_strings_and_paths():
    tree = ast.parse(
        'def docking_step(form="thesis"):\n    "Of a docking test."\n    return form == "case-7"'
    )
    assert [word for _, word in words(tree) if NAMED.search(word)] == ["docking_step", "thesis", "case-7"]
    assert PATHS.search("what `dovetail run shipboard/drop` simulates")
    assert not NAMED.search("captured")
