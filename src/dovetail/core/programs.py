"""Compiled programs of this process: cache on disk, resource usage, and a guard that drops programs at a limit.

`start` switches the cache and the guard on. It is called in processes that Dovetail starts (command line, workers of
the studio and of campaigns), never by an import.

**Cache.** JAX stores the programs that it compiles, under a key of everything that they depend on. Their folder is one
for each version of the compiler and each processor, because code for one processor may not run on another that shares
the home folder. `cache_folder` says which files are used. `DOVETAIL_PROGRAM_CACHE` names another parent folder;
`JAX_COMPILATION_CACHE_DIR` names the folder of another cache, which is used as it is, and disables the cache if empty.

**Guard.** JAX keeps every program that it has compiled in memory. A program of a complete test consists of about a
hundred small objects with three memory maps each. Linux limits a process to 65,530 maps, and a process that exceeds the
limit ends in the middle of a compilation. After each compilation the guard therefore checks the usage:

- Above a fifth of the maps, 3 GB or half of the memory, it drops the compiled programs. A program that is called again
  is compiled again and gives the same numbers.
- If usage is still above nine tenths of a limit, it raises `ExhaustionError` at the call that caused the compilation.
  The variables of a notebook and the results stored by a campaign are not lost.

If the system does not report usage, nothing is dropped.
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import logging
import math
import os
import platform
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import equinox as eqx
import jax

from dovetail.core.cache_folder import SealedFolder, user_cache
from dovetail.core.errors import ExhaustionError, OutputError

F = TypeVar("F", bound=Callable[..., Any])

JAX_VARIABLE = "JAX_COMPILATION_CACHE_DIR"  # environment variable of another cache
FOLDER_VARIABLE = "DOVETAIL_PROGRAM_CACHE"  # environment variable of another parent folder
MAX_SIZE = 300e6  # [B] of the cache; above it the oldest programs are removed
LOCATIONS = "jax_traceback_in_locations_limit"  # setting of JAX: source locations in programs
WRITTEN = "/jax/compilation_cache/cache_misses"  # event of JAX: a program is about to be written to the cache

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
    options: dict[str, Any] = {"xla_backend_optimization_level": 0}
    if version("jaxlib").startswith("0.10."):  # its older emitter is faster; an unknown option is an error
        options["xla_cpu_use_fusion_emitters"] = False
    jit: Any = eqx.filter_jit  # it passes other options on to `jax.jit`
    return cast(F, jit(function, compiler_options=options))


def drop_programs() -> None:
    """Drop all compiled programs and return their memory to the system."""
    jax.clear_caches()
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
    ) -> None:
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


def cache_path() -> Path:
    """Return the folder of the programs for this user, compiler and processor."""
    text = platform.machine() + platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        text += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass
    processor = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Path(os.environ.get(FOLDER_VARIABLE) or user_cache()) / f"programs-{version('jaxlib')}-{processor}"


def start() -> None:
    """Switch on the cache of compiled programs and the guard; call before any compilation, once per process.

    Programs get no source locations, which takes a fifth of the time from function to program. If the cache cannot be
    used, a warning gives the reason; results are the same.
    """
    jax.monitoring.register_event_duration_secs_listener(guard.count_program)
    if LOCATIONS.upper() not in os.environ and LOCATIONS in jax.config.values:
        jax.config.update(LOCATIONS, 0)
    if JAX_VARIABLE in os.environ or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    try:
        folder = SealedFolder(cache_path())
    except OutputError as error:
        logging.getLogger("dovetail").warning("compiled programs are not stored: %s", error)
        return
    folder.remove_oldest(MAX_SIZE)
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache", UserWarning)
    jax.config.update("jax_compilation_cache_dir", str(folder.path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
    is_new = False

    def note_write(event: str, **about: str | int) -> None:
        nonlocal is_new
        is_new |= event == WRITTEN

    def seal(event: str, duration_secs: float, **about: str | int) -> None:
        nonlocal is_new
        if is_new and event == COMPILED:  # the program has been written
            is_new = False
            folder.seal_new()

    jax.monitoring.register_event_listener(note_write)
    jax.monitoring.register_event_duration_secs_listener(seal)
