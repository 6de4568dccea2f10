"""The texts that programs are compiled from share a context of the compiler.

Before a program is compiled it is written down in the compiler's own language (MLIR). For every text JAX makes a
context of its own: 2.5 ms and 1.3 MB, more than the text of a small program and its compilation from a kept one take
together. Here the texts of a thread share one: contexts are not for two threads at a time. A context keeps every
constant that was written down in it, so that a new one is begun after `SHARED` texts; the old one goes with the last
of its texts. A text that is begun while another is being written gets a context of its own, or it would become a part
of that. What is written is the same, and so is the key by which a kept program is found.

Another version of JAX, in which contexts are made elsewhere, keeps its own way.
"""

from __future__ import annotations

import threading
from typing import Any

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

SHARED = 100  # texts that share a context


class Contexts(threading.local):
    """Makes the contexts of each thread, one for many texts."""

    def __init__(self, make: Any):
        self.make = make
        self._left = 0
        self._now: Any = None

    def __call__(self) -> Any:
        """The context for the next text."""
        if _writing():
            return self.make()
        if not self._left:
            self._now, self._left = self.make(), SHARED
        self._left -= 1
        return self._now


def _writing() -> bool:
    """Whether this thread is in the middle of a text."""
    try:
        return ir.Context.current is not None
    except ValueError:  # what it says where there is none
        return False


def share() -> None:
    """Have the texts of a thread share contexts; once for a process."""
    make = getattr(mlir, "make_ir_context", None)
    if make is not None and not isinstance(make, Contexts):
        vars(mlir)["make_ir_context"] = Contexts(make)
