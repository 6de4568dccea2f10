"""What this process has compiled and holds, and a guard that drops it before a limit of the system is met.

JAX keeps every program it has compiled. A program of a whole test is some hundred small objects, each of which takes
three memory maps, and Linux gives a process 65,530 of them; the one that asks for more is ended in the middle of a
compilation, and everything that it had computed with it. So after a compilation the guard looks at what is held:

- beyond a fifth of the maps, or 3 GB or half of the memory, kept programs are dropped. Nothing else goes: a program
  that is called again is compiled again, and gives the same numbers;
- where that leaves more than nine tenths of a limit taken, `ExhaustionError` says so in one sentence. It is raised
  where the compilation was asked for, so that a notebook keeps its names, and a campaign or a table what it stored.

It works in every process that imports Dovetail. Where the system does not tell what is held, nothing is dropped.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import jax

from dovetail.core.errors import ExhaustionError

F = TypeVar("F", bound=Callable)

COMPILED = "/jax/core/compile/backend_compile_duration"  # after every program, found on disk or not
LARGEST = 2000  # maps of the largest program: how many may be compiled before it is worth looking again
MOST = 3e9  # [B] of programs and data together that are no reason to drop anything
KEPT = 0.2  # of the maps: where programs are dropped
TAKEN = 0.9  # of a limit: where it ends
ROOM = 1e9  # [B] that must have gathered since programs were last dropped: data stays, and is no reason to drop more


@dataclass(frozen=True)
class Held:
    """Memory maps, and memory [B]."""

    maps: float
    memory: float


def held() -> Held:
    """What this process holds; zero where the system does not tell."""
    try:
        return Held(Path("/proc/self/maps").read_bytes().count(b"\n"), memory())
    except OSError:
        return Held(0, 0.0)


def memory() -> float:
    """Memory [B] that this process holds, which is told a hundred times sooner than its maps; zero if it is not."""
    try:
        return float(int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except OSError:
        return 0.0


def limits() -> Held:
    """What the system gives this process at most; infinite where it does not tell."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.inf
    container = min(
        map(_number, ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
    )
    return Held(_number("/proc/sys/vm/max_map_count"), min(pages, container))


def _number(file: str) -> float:
    try:
        return float(Path(file).read_text("ascii"))
    except (OSError, ValueError):  # a container without limit says "max"
        return math.inf


def once(function: F) -> F:
    """`eqx.filter_jit` of a function that is called once or twice: compiled in half the time, and hardly slower.

    It is called from outside of other compiled functions only.
    """
    from dovetail.core.executable_store import ready

    return ready(function, compiler_options={"xla_backend_optimization_level": 0})


_more: list[Callable[[], None]] = []


def also_drop(forget: Callable[[], None]) -> None:
    """Have programs that are held elsewhere forgotten with the others."""
    _more.append(forget)


def drop() -> None:
    """Forget every compiled program, and give what that frees back to the system."""
    jax.clear_caches()
    for forget in _more:
        forget()
    gc.collect()
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if give_back is not None:  # the C library keeps it else
        give_back(0)


class Guard:
    """Counts the programs that are compiled, and drops them when much is held."""

    def __init__(self, limits: Held, held: Callable[[], Held] = held, drop: Callable[[], None] = drop):
        self.limits, self.held, self.drop = limits, held, drop
        self.programs = self.dropped = 0  # compiled so far; how often they were dropped
        self._look = 1
        self.allow(min(MOST, limits.memory / 2))

    def allow(self, memory: float, kept: float = KEPT) -> None:
        """Drop nothing below this memory [B] and share of the maps."""
        self._most = self._first = Held(kept * self.limits.maps, memory)

    def compiled(self, event: str = COMPILED, duration_secs: float = 0.0, **about: str | int) -> None:
        """One more program is there; called by JAX."""
        if event != COMPILED:
            return
        self.programs += 1
        if self.programs >= self._look:
            self.look()

    def look(self) -> None:
        """Drop programs if much is held; raise if too much still is."""
        now = self.held()
        if now.maps > self._most.maps or now.memory > self._most.memory:
            self.drop()
            self.dropped += 1
            now = self.held()
            self._most = Held(
                max(self._first.maps, now.maps + self.limits.maps / 20),
                max(self._first.memory, now.memory + ROOM),
            )
        self._look = self.programs + 1
        for is_held, limit, unit, what, remedy in (
            (now.maps, self.limits.maps, 1, "memory maps", "have vm.max_map_count raised"),
            (now.memory, self.limits.memory, 1e9, "GB of memory", "use a machine with more"),
        ):
            if is_held > TAKEN * limit:
                raise ExhaustionError(
                    f"this process holds {is_held / unit:,.0f} of the {limit / unit:,.0f} {what} it may have, its "
                    f"compiled programs dropped already; save what you need and go on in a new process, or {remedy}"
                )
        self._look = self.programs + max(1, int(min(self._most.maps - now.maps, 1e5) // LARGEST))


guard = Guard(limits())
jax.monitoring.register_event_duration_secs_listener(guard.compiled)
