"""Nothing stays that no one uses: a function or class is named by other code, an example, a document or a promise.

A promise is a test that a capability names. Read as text, nothing is run: a word counts as a use wherever it stands but
where it is defined, so what is found to be idle is; what is not found may still be.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dovetail"
WORD = re.compile(r"[A-Za-z_]\w*")
TOOLS = {  # of the tests: why they are not in them
    "all_kinds": "asks the registry for all parts, which no command needs any more",
    "close_all": "frees what loaded models hold, which a process does by its end",
}


def words(files: Iterable[Path]) -> Counter[str]:
    return Counter(word for file in files for word in WORD.findall(file.read_text("utf-8", errors="ignore")))


def elsewhere() -> Iterator[Path]:
    """Examples, benchmarks, documents, data, C++."""
    for folder, ends in (("examples", "py"), ("bench", "py"), ("docs", "md"), ("docs", "py")):
        yield from (ROOT / folder).rglob(f"*.{ends}")
    for end in ("toml", "cc", "h", "c", "js", "html"):
        yield from SOURCE.rglob(f"*.{end}")
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml"))


def promised() -> Counter[str]:
    """Words of the tests that capabilities name, with the helpers beside them."""
    names = re.findall(
        r'"(tests/[^":]+\.py)', (ROOT / "src/dovetail/studies/capabilities.toml").read_text("utf-8")
    )
    return words(ROOT / name for name in set(names))


def defined() -> Iterator[tuple[Path, ast.FunctionDef | ast.ClassDef]]:
    """Functions and classes on the top of modules; parts of test files are found by their kind."""
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                told = " ".join(map(ast.unparse, node.decorator_list))
                if not re.search(r"\bkind\(|\.command|\.callback|defjvp|app\.", told):
                    yield file, node


def called_at_import() -> Counter[str]:
    """Functions that the first file of a package calls; the other names in it are public ones."""
    texts = (file.read_text("utf-8") for file in SOURCE.rglob("__init__.py"))
    return Counter(name for text in texts for name in re.findall(r"(\w+)\(", text))


def test_every_function_and_class_is_used():
    own = words(file for file in SOURCE.rglob("*.py") if file.name != "__init__.py") + called_at_import()
    other, promise = words(elsewhere()), promised()
    idle = [
        f"{file.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for file, node in defined()
        if own[node.name] <= 1 and not other[node.name] and not promise[node.name] and node.name not in TOOLS
    ]
    assert not idle, "\n".join(
        ["use each in code, an example, a page or a test that capabilities.toml names, or delete it:", *idle]
    )


def test_functions_kept_for_tests_exist_and_are_unused_otherwise():
    names = {node.name for _, node in defined()}
    own = words(file for file in SOURCE.rglob("*.py") if file.name != "__init__.py")
    assert all(name in names and own[name] == 1 for name in TOOLS)
