"""Change values in a TOML text and preserve comments, order and formatting."""

from __future__ import annotations

import tomllib
from typing import Any

import tomli_w
import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table


def patch_toml(text: str, new_table: dict[str, Any]) -> str:
    """Return the text, edited so that it represents the table `new_table`.

    The result is parsed again. If it differs from the new table, the table is written from the start.
    """
    try:
        document = tomlkit.parse(text)
        _update(document, tomllib.loads(text), new_table)
        new = tomlkit.dumps(document)
        if tomllib.loads(new) == new_table:
            return new
    except (TOMLKitError, ValueError, LookupError, TypeError):  # a notation that cannot be edited in place
        pass
    return tomli_w.dumps(new_table)


def _update(node: Any, old: Any, new: Any) -> None:
    """Change the entries of a table or list of the document that differ between two tables."""
    if isinstance(old, dict):
        for key in [key for key in old if key not in new]:
            node.remove(key)
    entries = list(new.items() if isinstance(new, dict) else enumerate(new))
    added = [(key, value) for key, value in entries if isinstance(old, dict) and key not in old]
    for key, value in entries:
        if (key, value) in added:
            continue
        if _same_form(old[key], value):
            _update(node[key], old[key], value)
        elif type(old[key]) is not type(value) or old[key] != value:
            node[key] = value
    for key, value in added:
        _add(node, key, value)


def _add(node: Any, key: str, value: Any) -> None:
    """Add an entry after the last one; a comment before the next header stays there."""
    body = getattr(node.value if isinstance(node, Table) else node, "body", [])
    values = [
        i for i, (name, item) in enumerate(body) if name is not None and not isinstance(item, Table | AoT)
    ]
    if isinstance(node, TOMLDocument) and not isinstance(tomlkit.item(value), Table | AoT):
        body.insert(max(values, default=-1) + 1, (tomlkit.key(key), tomlkit.item(value)))
        return
    trailing = []
    while body and body[-1][0] is None:
        trailing.append(body.pop()[1])
    node[key] = value
    for item in reversed(trailing):
        node.add(item)


def _same_form(old: Any, new: Any) -> bool:
    """Return whether two values are tables, or lists of equally many tables, so that their entries are compared."""
    if isinstance(old, list) and isinstance(new, list) and old and len(old) == len(new):
        return all(isinstance(entry, dict) for entry in [*old, *new])
    return isinstance(old, dict) and isinstance(new, dict)


def inline(value: Any) -> str:
    """Return a value as TOML on one line, as after an equals sign."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{tomlkit.key(key).as_string()} = {inline(entry)}" for key, entry in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    return tomlkit.item(value).as_string()
