"""Change values in a TOML text and preserve comments, order and formatting.

TOML readers discard comments, order and number formats, so the text itself is edited: the differences are found by
comparing tables, and each value is located in the text. The result is parsed again and must equal the new table;
if it does not (a notation that is not supported here), the table is written from the start.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

import tomli_w

Path = tuple[str | int, ...]

_REMOVED = object()
_KEY = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*""")
_SCALAR = re.compile(r"[^,\]}#\n\r]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")


class _Statement(NamedTuple):
    """Statement of a file: a header, or a key with its value."""

    path: Path
    start: int  # start of its first line
    end: int  # end of its last line, including the line break
    value: tuple[int, int] | None  # span of the value; None for a header


def patch_toml(text: str, new_table: dict[str, Any]) -> str:
    """Return the text, edited so that it represents the table `new_table`."""
    new = text
    try:
        for path, value in _differences(tomllib.loads(text), new_table):
            new = _remove(new, path) if value is _REMOVED else _set(new, path, value)
        if tomllib.loads(new) == new_table:
            return new
    except (ValueError, LookupError):  # no longer TOML, or no position found
        pass
    return tomli_w.dumps(new_table)


def inline(value: Any) -> str:
    """Return a value as TOML on one line, as after an equals sign."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {inline(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


# differences


def _differences(old: Any, new: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Iterate over paths at which two tables differ, with the new value; removed keys first."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from (((*path, key), _REMOVED) for key in old if key not in new)
        for key, value in new.items():
            yield from _differences(old[key], value, (*path, key)) if key in old else [((*path, key), value)]
    elif _tables(old) and _tables(new) and len(old) == len(new):
        for i, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, (*path, i))
    elif type(old) is not type(new) or old != new:
        yield path, new


def _tables(node: Any) -> bool:
    return isinstance(node, list) and bool(node) and all(isinstance(entry, dict) for entry in node)


# positions in the text


def _statements(text: str) -> Iterator[_Statement]:
    """Iterate over the headers and keys of a text, in order."""
    table: Path = ()
    numbers: dict[Path, int] = {}  # index of the last entry of each array of tables
    at = _BLANK.match(text).end()  # type: ignore[union-attr]  # also matches the empty string
    while at < len(text):
        start = text.rfind("\n", 0, at) + 1
        if text[at] == "[":
            many = text.startswith("[[", at)
            names, after_key = _read_keys(text, at + 1 + many)
            table = _with_indices(names[:-1], numbers)
            table += (names[-1],)
            if many:
                numbers[table] = numbers.get(table, -1) + 1
            table = _with_indices((names[-1],), numbers, table[:-1])
            end = _line_end(text, after_key + 1 + many)
            yield _Statement(table, start, end, None)
        else:
            names, after_key = _read_keys(text, at)
            first = after_key + 1 + len(text[after_key + 1 :]) - len(text[after_key + 1 :].lstrip(" \t"))
            last = _value_end(text, first)
            end = _line_end(text, last)
            yield _Statement((*table, *names), start, end, (first, last))
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]  # also matches the empty string


def _with_indices(names: Path, numbers: dict[Path, int], before: Path = ()) -> Path:
    """Return the names of a header with the indices of the array entries they refer to."""
    for name in names:
        before = (*before, name)
        if before in numbers:
            before = (*before, numbers[before])
    return before


def _read_keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the names of a dotted key and its end position."""
    names = []
    while (match := _KEY.match(text, at)) is not None:
        word = match[1]
        names.append(tomllib.loads(f"x = {word}")["x"] if word[0] in "\"'" else word)
        at = match.end()
        if text[at] != ".":
            return tuple(names), at
        at += 1
    raise ValueError("no key")


def _value_end(text: str, at: int) -> int:
    """Return the end position of the value that begins at `at`."""
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote, at):
            at += len(quote)
            while not text.startswith(quote, at):
                at += 2 if text[at] == "\\" and quote[0] == '"' else 1
            at += len(quote)
            while len(quote) == 3 and text.startswith(
                quote[0], at
            ):  # up to two quotes may precede the closing three
                at += 1
            return at
    if text[at] in "[{":
        at = _BLANK.match(text, at + 1).end()  # type: ignore[union-attr]  # also matches the empty string
        while text[at] not in "]}":
            if text[at] in ",=":
                at += 1
            else:
                at = _value_end(text, at) if text[at] in "\"'[{" else _word_end(text, at)
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # also matches the empty string
        return at + 1
    return _word_end(text, at)


def _word_end(text: str, at: int) -> int:
    """Return the end position of a number, date, bare key or word (before any equals sign)."""
    match = _SCALAR.match(text, at)
    assert match is not None
    word = match[0].partition("=")[0].rstrip()
    if not word:
        raise ValueError("no value")
    return at + len(word)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _span_inside(text: str, span: tuple[int, int], path: Path) -> tuple[int, int] | None:
    """Return the span of a value inside an inline table or list; None if it is not there."""
    if not path:
        return span
    if text[span[0]] not in "{[":
        return None
    at, number = _BLANK.match(text, span[0] + 1).end(), 0  # type: ignore[union-attr]  # also matches the empty string
    while at < span[1] - 1:
        names: Path = (number,)
        if text[span[0]] == "{":
            names, after_key = _read_keys(text, at)
            at = after_key + 1 + len(text[after_key + 1 :]) - len(text[after_key + 1 :].lstrip(" \t"))
        end = _value_end(text, at)
        if path[: len(names)] == names:
            return _span_inside(text, (at, end), path[len(names) :])
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]  # also matches the empty string
        at = _BLANK.match(text, at + (text[at] == ",")).end()  # type: ignore[union-attr]  # also matches the empty string
        number += 1
    return None


def _value_span(text: str, path: Path) -> tuple[int, int] | None:
    """Return the span of the value at a path; None if it is missing or spread over several statements."""
    for statement in _statements(text):
        if statement.value is not None and path[: len(statement.path)] == statement.path:
            return _span_inside(text, statement.value, path[len(statement.path) :])
    return None


# changes


def _set(text: str, path: Path, value: Any) -> str:
    """Return the text with a value set at a path, in place or after its siblings."""
    span = _value_span(text, path)
    if span is not None:
        return text[: span[0]] + inline(value) + text[span[1] :]
    text = _remove(text, path)
    parent, name = path[:-1], str(path[-1])
    if (around := _value_span(text, parent) if parent else None) is not None:  # inline table
        inner = text[around[0] + 1 : around[1] - 1].strip()
        pair = f"{_key(name)} = {inline(value)}"
        return text[: around[0]] + f"{{ {inner + ', ' if inner else ''}{pair} }}" + text[around[1] :]
    lines = list(_statements(text))
    if isinstance(value, dict) or _tables(value):  # with its own header, after all statements of its parent
        siblings = [
            statement.end for statement in lines if parent and statement.path[: len(parent)] == parent
        ]
        return _insert(text, max(siblings, default=len(text)), "\n" + _section(path, value))
    if parent:
        head = [statement for statement in lines if statement.value is None and statement.path == parent]
        if not head:
            return _insert(text, len(text), "\n" + _section(parent, {name: value}))
        ends = [head[0].end]
        after = lines[lines.index(head[0]) + 1 :]
    else:
        ends, after = [0], lines
    for statement in after:
        if statement.value is None:
            break
        ends.append(statement.end)
    return _insert(text, ends[-1], f"{_key(name)} = {inline(value)}\n")


def _remove(text: str, path: Path) -> str:
    """Return the text without the statements at a path and below it."""
    span = _value_span(text, path)
    statements = [statement for statement in _statements(text) if statement.path[: len(path)] == path]
    if span is not None and not statements:  # inside an inline table: remove the adjacent comma too
        start = max(text.rfind(mark, 0, _key_start(text, span[0])) for mark in ",{")
        after_key = _BLANK.match(text, span[1]).end()  # type: ignore[union-attr]  # also matches the empty string
        if text[start] == "{" and text[after_key] == ",":
            return text[: start + 1] + text[after_key + 1 :]
        return text[: start + (text[start] == "{")] + text[span[1] :]
    for statement in reversed(statements):
        text = text[: statement.start] + text[statement.end :]
    return re.sub(r"\n{4,}", "\n\n\n", text) if statements else text


def _key_start(text: str, at: int) -> int:
    return text.rfind("=", 0, at)


def _insert(text: str, at: int, more: str) -> str:
    before = text[:at] if not at or text[at - 1] == "\n" else text[:at] + "\n"
    return before + (more.lstrip("\n") if not before else more) + text[at:]


def _section(path: Path, value: Any) -> str:
    """Return a table, or a list of tables, under a header with its full path."""
    name = ".".join(_key(step) for step in path if isinstance(step, str))
    nested: Any = tomli_w.dumps({"x": value})
    return re.sub(r"^(\[{1,2})x(?=[.\]])", lambda m: m[1] + name, nested, flags=re.MULTILINE)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else tomli_w.dumps({name: 0}).rpartition(" = ")[0]
