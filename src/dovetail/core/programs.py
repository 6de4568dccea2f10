"""Resource usage of this process, and a guard that drops compiled programs before a system limit is reached.

JAX stores every program that it has compiled. A program of a complete test consists of about a hundred small objects
with three memory maps each. Linux limits a process to 65,530 maps, and a process that exceeds the limit ends in the
middle of a compilation. After each compilation the guard therefore checks the usage:

- Above a fifth of the maps, 3 GB or half of the memory, it drops the compiled programs. A program that is called again
  is compiled again and gives the same numbers.
- If usage is still above nine tenths of a limit, it raises `ExhaustionError` at the call that caused the compilation.
  The variables of a notebook and the results stored by a campaign are not lost.

The guard is active in every process that imports Dovetail. If the system does not report usage, nothing is dropped.
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

COMPILED = "/jax/core/compile/backend_compile_duration"  # after each program, from the compiler or from disk
MAPS_OF_PROGRAM = 2000  # upper bound of the maps of one program: sets the interval between two checks
DROP_MEMORY = 3e9  # [B] of programs and data together, below which nothing is dropped
DROP_MAPS = 0.2  # fraction of the maps above which programs are dropped
MAX_FRACTION = 0.9  # fraction of a limit above which an error is raised
MIN_GROWTH = 1e9  # [B] of growth since programs were last dropped: data is not freed by dropping programs


@dataclass(frozen=True)
class ResourceUsage:
    """Memory maps and memory [B] of a process."""

    maps: float
    memory: float


def resource_usage() -> ResourceUsage:
    """Return the usage of this process; zero if the system does not report it."""
    try:
        return ResourceUsage(Path("/proc/self/maps").read_bytes().count(b"\n"), process_memory())
    except OSError:
        return ResourceUsage(0, 0.0)


def process_memory() -> float:
    """Return the memory [B] of this process; zero if unknown. A hundred times faster than counting maps."""
    try:
        return float(int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except OSError:
        return 0.0


def resource_limits() -> ResourceUsage:
    """Return the limits of this process; infinite if the system does not report them."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.inf
    container = min(
        map(_number, ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
    )
    return ResourceUsage(_number("/proc/sys/vm/max_map_count"), min(pages, container))


def _number(file: str) -> float:
    try:
        return float(Path(file).read_text("ascii"))
    except (OSError, ValueError):  # "max": a container without limit
        return math.inf


def jit_unoptimised(function: F) -> F:
    """Return `eqx.filter_jit` of a function without optimisation: compiles in half the time and runs little slower.

    For functions that are called once or twice, from outside of other compiled functions.
    """
    from dovetail.core.executable_store import ready

    return ready(function, compiler_options={"xla_backend_optimization_level": 0})


_registered: list[Callable[[], None]] = []


def register_drop(clear: Callable[[], None]) -> None:
    """Register a function that `drop_programs` calls to clear programs stored elsewhere."""
    _registered.append(clear)


def drop_programs() -> None:
    """Drop all compiled programs and return their memory to the system."""
    jax.clear_caches()
    for clear in _registered:
        clear()
    gc.collect()
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if malloc_trim is not None:  # the C library does not return freed memory by itself
        malloc_trim(0)


class Guard:
    """Counter of compiled programs; drops them when resource usage is high."""

    def __init__(
        self,
        limits: ResourceUsage,
        usage: Callable[[], ResourceUsage] = resource_usage,
        drop: Callable[[], None] = drop_programs,
    ):
        self.limits, self.usage, self.drop = limits, usage, drop
        self.programs = self.dropped = 0  # programs compiled so far; number of drops
        self._next_check = 1
        self.set_thresholds(min(DROP_MEMORY, limits.memory / 2))

    def set_thresholds(self, memory: float, maps_fraction: float = DROP_MAPS) -> None:
        """Drop programs only above this memory [B] or this fraction of the maps."""
        self._threshold = self._first = ResourceUsage(maps_fraction * self.limits.maps, memory)

    def count_program(self, event: str = COMPILED, duration_secs: float = 0.0, **about: str | int) -> None:
        """Count a compiled program and check the usage if due; called by JAX."""
        if event != COMPILED:
            return
        self.programs += 1
        if self.programs >= self._next_check:
            self.check_usage()

    def check_usage(self) -> None:
        """Drop programs if usage is above the thresholds; raise an error if it stays near a limit."""
        now = self.usage()
        if now.maps > self._threshold.maps or now.memory > self._threshold.memory:
            self.drop()
            self.dropped += 1
            now = self.usage()
            self._threshold = ResourceUsage(
                max(self._first.maps, now.maps + self.limits.maps / 20),
                max(self._first.memory, now.memory + MIN_GROWTH),
            )
        self._next_check = self.programs + 1
        for used, limit, unit, resource, remedy in (
            (now.maps, self.limits.maps, 1, "memory maps", "raise vm.max_map_count"),
            (now.memory, self.limits.memory, 1e9, "GB of memory", "use a machine with more memory"),
        ):
            if used > MAX_FRACTION * limit:
                raise ExhaustionError(
                    f"this process uses {used / unit:,.0f} of {limit / unit:,.0f} {resource}, after its compiled "
                    f"programs were dropped; save your results and continue in a new process, or {remedy}"
                )
        free = min(self._threshold.maps - now.maps, 1e5)
        self._next_check = self.programs + max(1, int(free // MAPS_OF_PROGRAM))


guard = Guard(resource_limits())
jax.monitoring.register_event_duration_secs_listener(guard.count_program)
