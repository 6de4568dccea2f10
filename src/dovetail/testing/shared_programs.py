"""Compiled programs shared by runs: they depend on parts and shapes, not on title, seed or duration.

JAX recompiles for each value that it cannot trace. Titles, seeds and durations are such values, and no tick depends
on them, so the compiled loop receives the test without them. The loop advances in chunks of a few fixed lengths. The
last chunk may extend past the end of the test; ticks after the end are discarded.
"""

from __future__ import annotations

import dataclasses
from typing import Any

# fields on which no tick depends, with the value that replaces them
REPLACED_FIELDS: dict[str, Any] = {"title": "", "source": "", "seed": 0, "duration": 1.0, "record_every": 1}
MAX_GROWTH = 64  # largest ratio of chunk lengths; an interrupt takes effect at the end of a chunk


def traced_inputs(prepared: Any) -> Any:
    """Return a prepared test or simulation with the fields on which no tick depends replaced."""
    return dataclasses.replace(prepared, **REPLACED_FIELDS)


def chunk_length(total: int, shortest: int, max_count: int) -> int:
    """Return the ticks per chunk: `shortest`, doubled while more than `max_count` chunks remain, at most `total`.

    The number of doublings is limited, because an interrupt takes effect at the end of a chunk. The length depends on
    the test only, so a repeated run is equal to the bit.
    """
    length = shortest
    while length * max_count < total and length < MAX_GROWTH * shortest:
        length *= 2
    return min(total, length)
