"""Damage with structure: values of a table swapped, dropped, of another type, too large or empty; bytes cut and turned.

Everything is drawn from the `random.Random` that is handed in, so that a case is known by its seed alone.
"""

from __future__ import annotations

import datetime
import random
from typing import Any

NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    1000,
    2**31,
    2**53,
    2**63,
    10**30,
    10**400,
    -(10**400),
    0.0,
    -0.0,
    0.5,
    -2.5,
    1e-9,
)
NUMBERS += (1e-300, 5e-324, 1e18, 1e300, 1.7e308, float("inf"), float("-inf"), float("nan"))
WORDS = (
    "",
    " ",
    "x",
    "none",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e400 m",
    "12 ms",
    "3 Hz",
    "4.5 kN/m",
    "5 parsec",
)
WORDS += (
    "1 m m m",
    "0x10",
    "1 +",
    "é",
    "\x00",
    "a" * 3000,
    "1" * 5000,
    "../..",
    "rig.actuator.delay",
    "m/0",
    "**",
)
WORDS += (
    "delay",
    "rk4",
    "spring",
    "test",
    "map",
    "cell",
    "simulation",
    "numerical[0]",
    "a.b.c",
    "[",
    "1e9 kg",
    "-3 s",
)
MOMENTS = (
    datetime.date(2020, 1, 1),
    datetime.time(1, 2, 3),
    datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
)


def value(rng: random.Random, depth: int = 2) -> Any:
    """Anything that a TOML file can hold."""
    kind = rng.randrange(9 if depth else 6)
    if kind < 2:
        return rng.choice(NUMBERS)
    if kind == 2:
        return rng.choice(WORDS)
    if kind == 3:
        return rng.choice((True, False))
    if kind == 4:
        return rng.choice(MOMENTS)
    if kind == 5:
        return rng.choice(([], {}, [[]], [{}], [[], [1.0]]))
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 7:
        return {rng.choice(WORDS[:6]): value(rng, depth - 1) for _ in range(rng.randrange(3))}
    return [rng.choice(NUMBERS) for _ in range(rng.randrange(7))]


def places(node: Any, at: tuple = ()) -> list[tuple]:
    """Every place of a nested table."""
    found = [at]
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, entry in entries:
        found += places(entry, (*at, key))
    return found


def look(node: Any, place: tuple) -> Any:
    """What is at a place."""
    for step in place:
        node = node[step]
    return node


def copied(node: Any) -> Any:
    """A table with nothing in common with the one it was copied from."""
    if isinstance(node, dict):
        return {key: copied(entry) for key, entry in node.items()}
    return [copied(entry) for entry in node] if isinstance(node, list) else node


def damaged(table: dict[str, Any], rng: random.Random, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """A copy with one to three values changed; `words` are further ones that may stand anywhere."""
    table = copied(table)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = places(table)[1:]
        if not found:
            return table
        place = rng.choice(found)
        parent, key = look(table, place[:-1]), place[-1]
        act = rng.randrange(10)
        if act < 4:
            parent[key] = value(rng)
        elif act == 4:
            del parent[key]
        elif act == 5:  # what is somewhere else in the file
            parent[key] = copied(look(table, rng.choice(found)))
        elif act == 6:
            parent[key] = nudged(parent[key], rng)
        elif act == 7 and words:
            parent[key] = rng.choice(words)
        elif act == 8:
            parent[key] = rng.choice(
                ([parent[key]], [copied(parent[key]) for _ in range(3)], {"kind": parent[key]})
            )
        elif isinstance(parent, dict):
            parent[rng.choice(("k", "kind", "unit", "value", *map(str, parent)))] = value(rng)
        else:
            parent.append(value(rng))
    return table


def nudged(old: Any, rng: random.Random) -> Any:
    """A value of the same type that is not the same."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int | float):
        factor = rng.choice((0, -1, 0.5, 2, 10, 1e-6, 1e6, 1e150, 1e308))
        try:
            return type(old)(old * factor)
        except (OverflowError, ValueError):  # beyond what a float holds
            return -old
    if isinstance(old, str):
        at = rng.randrange(len(old) + 1)
        return (
            old[:at]
            + rng.choice(("", " ", "-", "0", "e", ".", "x", "°", "\n"))
            + old[at + rng.randrange(2) :]
        )
    if isinstance(old, list):
        return old[: rng.randrange(len(old) + 1)] if rng.random() < 0.5 else old + old
    return value(rng)


def torn(data: bytes, rng: random.Random) -> bytes:
    """Bytes cut off, turned over, repeated, left out or made up."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        act = rng.randrange(7)
        if act == 0:
            del data[at:]
        elif act == 1 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif act == 2:
            del data[at : at + rng.randrange(1, 64)]
        elif act == 3:
            data[at:at] = rng.randbytes(rng.randrange(1, 16))
        elif act == 4:
            data[at : at + 8] = rng.choice((b"\xff" * 8, b"\x00" * 8, b"\x00" * 7 + b"\x80"))
        elif act == 5:
            data[at:at] = data[at : at + 100]
        elif act == 6 and rng.random() < 0.1:
            return rng.randbytes(rng.randrange(300))
    return bytes(data)
