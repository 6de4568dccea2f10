"""Retired words do not return: `retired_words.toml` lists each with its replacement."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dovetail"
WORDS = tomllib.loads(Path(__file__).with_name("retired_words.toml").read_text("utf-8"))
PHRASES = {
    re.compile(word.replace(" ", r"\s+"), re.I): use
    for word, use in (WORDS["terms"] | WORDS["style"]).items()
}


def texts() -> Iterator[Path]:
    """Source, pages and examples; not the tables of renamed keys."""
    yield from SOURCE.rglob("*.py")
    yield from (ROOT / "examples").rglob("*.py")
    yield from (page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))


def retired(text: str) -> list[str]:
    """Return the retired phrases in a text, with line and replacement; a phrase may continue on the next line."""
    flat = re.sub(r"\s|#", " ", text)
    return [
        f"{1 + text.count(chr(10), 0, match.start())}: {match[0]!r}; write: {use}"
        for phrase, use in PHRASES.items()
        for match in phrase.finditer(flat)
    ]


def test_no_text_contains_a_retired_phrase():
    faults = [
        f"{file.relative_to(ROOT)}:{fault}" for file in texts() for fault in retired(file.read_text("utf-8"))
    ]
    assert not faults, "\n".join(faults)


def local_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names that functions assign, and their arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def test_no_local_name_is_a_bare_participle():
    faults = [
        f"{file.relative_to(ROOT)}:{line}: {name}; write: {WORDS['names'][name]}"
        for file in SOURCE.rglob("*.py")
        for line, name in local_names(ast.parse(file.read_text("utf-8")))
        if name in WORDS["names"]
    ]
    assert not faults, "\n".join(faults)


def test_a_retired_phrase_is_detected_across_lines_and_a_new_one_is_not():
    assert retired("the loop\n# goes\n# on here") == ["2: 'goes   on'; write: continues"]
    assert not retired("the loop continues")
