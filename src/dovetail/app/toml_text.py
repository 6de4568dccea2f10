"""A text in TOML with other values in it, all that a person wrote around them kept.

Readers of TOML forget comments, order and how a number was written. So the text itself is changed: what must differ is
found by comparing tables, each value by its place in the text. In the end the text is read again, and must hold exactly
the table that was wanted; where it does not (a form of writing that is not known here), the table is written anew.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, NamedTuple

import tomli_w

Way = tuple[str | int, ...]

_GONE = object()
_KEY = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')[ \t]*""")
_SCALAR = re.compile(r"[^,\]}#\n\r]*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")


class _Said(NamedTuple):
    """A line of a file that says something: a header, or a key with its value."""

    way: Way
    start: int  # of its first line
    end: int  # of its last line, the break included
    value: tuple[int, int] | None  # None of a header


def patched(text: str, wanted: dict[str, Any]) -> str:
    """The text with what must differ changed, so that it holds the table that is `wanted`."""
    new = text
    try:
        for way, value in _differences(tomllib.loads(text), wanted):
            new = _removed(new, way) if value is _GONE else _put(new, way, value)
        if tomllib.loads(new) == wanted:
            return new
    except (ValueError, LookupError):  # not TOML any more, or no place was found
        pass
    return tomli_w.dumps(wanted)


def inline(value: Any) -> str:
    """A value as it stands behind an equals sign."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {inline(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


# what differs


def _differences(old: Any, new: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Places at which two tables differ, with the new value; what goes first, so that what comes finds its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from (((*way, key), _GONE) for key in old if key not in new)
        for key, value in new.items():
            yield from _differences(old[key], value, (*way, key)) if key in old else [((*way, key), value)]
    elif _tables(old) and _tables(new) and len(old) == len(new):
        for i, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, (*way, i))
    elif type(old) is not type(new) or old != new:
        yield way, new


def _tables(node: Any) -> bool:
    return isinstance(node, list) and bool(node) and all(isinstance(entry, dict) for entry in node)


# the text as places


def _said(text: str) -> Iterator[_Said]:
    """Every header and every key of a text, in its order."""
    table: Way = ()
    numbers: dict[Way, int] = {}  # of the newest entry of each array of tables
    at = _BLANK.match(text).end()  # type: ignore[union-attr]  # matches nothing too
    while at < len(text):
        start = text.rfind("\n", 0, at) + 1
        if text[at] == "[":
            many = text.startswith("[[", at)
            names, behind = _keys(text, at + 1 + many)
            table = _resolved(names[:-1], numbers)
            table += (names[-1],)
            if many:
                numbers[table] = numbers.get(table, -1) + 1
            table = _resolved((names[-1],), numbers, table[:-1])
            end = _line_end(text, behind + 1 + many)
            yield _Said(table, start, end, None)
        else:
            names, behind = _keys(text, at)
            first = behind + 1 + len(text[behind + 1 :]) - len(text[behind + 1 :].lstrip(" \t"))
            last = _value_end(text, first)
            end = _line_end(text, last)
            yield _Said((*table, *names), start, end, (first, last))
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]  # likewise


def _resolved(names: Way, numbers: dict[Way, int], before: Way = ()) -> Way:
    """A header's names with the entries of arrays that they mean."""
    for name in names:
        before = (*before, name)
        if before in numbers:
            before = (*before, numbers[before])
    return before


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The names of a key with dots, and where it ends."""
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
    """Where a value ends that begins at a place."""
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote, at):
            at += len(quote)
            while not text.startswith(quote, at):
                at += 2 if text[at] == "\\" and quote[0] == '"' else 1
            at += len(quote)
            while len(quote) == 3 and text.startswith(quote[0], at):  # quotes may stand before the last three
                at += 1
            return at
    if text[at] in "[{":
        at = _BLANK.match(text, at + 1).end()  # type: ignore[union-attr]  # likewise
        while text[at] not in "]}":
            if text[at] in ",=":
                at += 1
            else:
                at = _value_end(text, at) if text[at] in "\"'[{" else _word_end(text, at)
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # likewise
        return at + 1
    return _word_end(text, at)


def _word_end(text: str, at: int) -> int:
    """Where a number, a date, a bare key or a word ends, at the latest before an equals sign."""
    match = _SCALAR.match(text, at)
    assert match is not None
    word = match[0].partition("=")[0].rstrip()
    if not word:
        raise ValueError("no value")
    return at + len(word)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _inside(text: str, span: tuple[int, int], way: Way) -> tuple[int, int] | None:
    """Where a value is that lies in another one: in a table or list that is written in one go."""
    if not way:
        return span
    if text[span[0]] not in "{[":
        return None
    at, number = _BLANK.match(text, span[0] + 1).end(), 0  # type: ignore[union-attr]  # likewise
    while at < span[1] - 1:
        names: Way = (number,)
        if text[span[0]] == "{":
            names, behind = _keys(text, at)
            at = behind + 1 + len(text[behind + 1 :]) - len(text[behind + 1 :].lstrip(" \t"))
        end = _value_end(text, at)
        if way[: len(names)] == names:
            return _inside(text, (at, end), way[len(names) :])
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]  # likewise
        at = _BLANK.match(text, at + (text[at] == ",")).end()  # type: ignore[union-attr]  # likewise
        number += 1
    return None


def _place(text: str, way: Way) -> tuple[int, int] | None:
    """Where the value at a path is in a text; None of one that is not there, or is spread over lines of its own."""
    for said in _said(text):
        if said.value is not None and way[: len(said.way)] == said.way:
            return _inside(text, said.value, way[len(said.way) :])
    return None


# changes


def _put(text: str, way: Way, value: Any) -> str:
    """The text with a value at a path, in the place of the one that is there or beside its neighbours."""
    span = _place(text, way)
    if span is not None:
        return text[: span[0]] + inline(value) + text[span[1] :]
    text = _removed(text, way)
    parent, name = way[:-1], str(way[-1])
    if (around := _place(text, parent) if parent else None) is not None:  # a table in one line
        inner = text[around[0] + 1 : around[1] - 1].strip()
        pair = f"{_key(name)} = {inline(value)}"
        return text[: around[0]] + f"{{ {inner + ', ' if inner else ''}{pair} }}" + text[around[1] :]
    lines = list(_said(text))
    if isinstance(value, dict) or _tables(value):  # with a header of its own, behind all of its parent
        kin = [said.end for said in lines if parent and said.way[: len(parent)] == parent]
        return _inserted(text, max(kin, default=len(text)), "\n" + _section(way, value))
    if parent:
        head = [said for said in lines if said.value is None and said.way == parent]
        if not head:
            return _inserted(text, len(text), "\n" + _section(parent, {name: value}))
        ends = [head[0].end]
        after = lines[lines.index(head[0]) + 1 :]
    else:
        ends, after = [0], lines
    for said in after:
        if said.value is None:
            break
        ends.append(said.end)
    return _inserted(text, ends[-1], f"{_key(name)} = {inline(value)}\n")


def _removed(text: str, way: Way) -> str:
    """The text without what is said at a path and below it."""
    span = _place(text, way)
    whole = [said for said in _said(text) if said.way[: len(way)] == way]
    if span is not None and not whole:  # inside a table in one line: with the comma before or behind it
        start = max(text.rfind(mark, 0, _key_start(text, span[0])) for mark in ",{")
        behind = _BLANK.match(text, span[1]).end()  # type: ignore[union-attr]  # matches nothing too
        if text[start] == "{" and text[behind] == ",":
            return text[: start + 1] + text[behind + 1 :]
        return text[: start + (text[start] == "{")] + text[span[1] :]
    for said in reversed(whole):
        text = text[: said.start] + text[said.end :]
    return re.sub(r"\n{4,}", "\n\n\n", text) if whole else text


def _key_start(text: str, at: int) -> int:
    return text.rfind("=", 0, at)


def _inserted(text: str, at: int, more: str) -> str:
    before = text[:at] if not at or text[at - 1] == "\n" else text[:at] + "\n"
    return before + (more.lstrip("\n") if not before else more) + text[at:]


def _section(way: Way, value: Any) -> str:
    """A table, or a list of them, under a header that names all of its parents."""
    name = ".".join(_key(step) for step in way if isinstance(step, str))
    nested: Any = tomli_w.dumps({"x": value})
    return re.sub(r"^(\[{1,2})x(?=[.\]])", lambda m: m[1] + name, nested, flags=re.MULTILINE)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else tomli_w.dumps({name: 0}).rpartition(" = ")[0]
