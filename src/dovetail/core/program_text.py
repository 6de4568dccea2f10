"""Shared compiler contexts for the texts from which programs are compiled.

Before a program is compiled, JAX writes its text in the language of the compiler (MLIR). JAX creates a context for
every text. A context takes 2.5 ms and 1.3 MB. For a small program that is more than writing its text and loading the
cached program together. With this module the texts of a thread share a context, because two threads cannot use one
context at a time. A context stores every constant of its texts. Therefore a new context is created after `SHARED`
texts, and the old one is freed with the last of its texts. A text that is started during another text gets a separate
context; otherwise it would become part of the other text. The text and the key of the cached program do not change.

In a version of JAX that creates contexts elsewhere, nothing changes.
"""

from __future__ import annotations

import threading
from typing import Any

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

SHARED = 100  # texts that share a context


class Contexts(threading.local):
    """Factory of the contexts of each thread; many texts share one context."""

    def __init__(self, make: Any):
        self.make = make
        self._left = 0
        self._now: Any = None

    def __call__(self) -> Any:
        """Return the context for the next text."""
        if _writing():
            return self.make()
        if not self._left:
            self._now, self._left = self.make(), SHARED
        self._left -= 1
        return self._now


def _writing() -> bool:
    """Return whether this thread is writing a text."""
    try:
        return ir.Context.current is not None
    except ValueError:  # raised if there is no current context
        return False


def share() -> None:
    """Enable shared contexts; call once per process."""
    make = getattr(mlir, "make_ir_context", None)
    if make is not None and not isinstance(make, Contexts):
        vars(mlir)["make_ir_context"] = Contexts(make)
