"""What runs share: the program of a piece follows from the parts and their shapes, not from a name, a seed or a length.

JAX compiles anew for every value that it cannot trace. Names, seeds and durations are such values and no tick depends
on them, so the loop is given the test without them; and it advances in pieces of a few lengths only, the last of which
may run on past the end of the test. What lies there is computed and thrown away.
"""

from __future__ import annotations

import dataclasses
from typing import Any

# what no tick depends on, and what the loop is given in its place
UNSEEN: dict[str, Any] = {"title": "", "source": "", "seed": 0, "duration": 1.0, "record_every": 1}
MOST = 64  # times the shortest piece, at most: an interrupt waits for the end of a piece


def shared(prepared: Any) -> Any:
    """A prepared test or simulation without what no tick depends on."""
    return dataclasses.replace(prepared, **UNSEEN)


def piece_length(total: int, shortest: int, most: int) -> int:
    """Ticks in a piece: `shortest`, doubled while more than `most` pieces are left; all of a run shorter than that.

    It is doubled a few times only, so that an interrupt has not long to wait for the end of a piece. It depends on the
    test alone, so that a repeated run is the same to the bit.
    """
    length = shortest
    while length * most < total and length < MOST * shortest:
        length *= 2
    return min(total, length)
