"""The native tick as a file: the one that came with the package, else built with the system's compiler.

It is made against XLA's stable FFI header. Where the package brought none (a clone, another machine) it is built on
first use, once for each source and jaxlib, and kept in `native` of the user's cache folder (`DOVETAIL_CACHE`, else
`XDG_CACHE_HOME/dovetail`, else `~/.cache/dovetail`). To load it is to run it: where that folder is open to others it is
built anew for this process, and that is said.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import platform
import shutil
import tempfile
from importlib import metadata
from pathlib import Path

import jax.ffi

from dovetail.core import program_cache
from dovetail.core.errors import LinkError
from dovetail.links.shared_library import Library

log = logging.getLogger("dovetail")
TICK = Library(
    "the native tick",
    "dovetail.links.native",
    "tick",
    sources=("tick.cc", "session.cc", "show.cc", "dials.cc"),
    headers=("wire.h",),
    flags=("-std=c++17",),
)


def compiler() -> str | None:
    """Path of a C++ compiler: `CXX`, else the usual names."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def cache_folder() -> Path:
    """Where built libraries are kept."""
    return Path(os.environ.get("DOVETAIL_CACHE") or program_cache.cache()) / "native"


@functools.cache
def _of_this_process() -> Path:
    """A folder that is gone with the process."""
    scratch = tempfile.TemporaryDirectory(prefix="dovetail-")
    atexit.register(scratch.cleanup)
    return Path(scratch.name)


def built() -> Path:
    """The library: the one of the package, else built now if it was not before.

    Raises
    ------
    LinkError
        If there is no compiler, or it fails, or this is not Linux.
    """
    if platform.system() != "Linux":
        raise LinkError(f"the native tick is for Linux; this is {platform.system()}")
    if (target := TICK.shipped()) is None:
        folder = cache_folder()
        if why := program_cache.unfit(folder):
            log.warning("the native tick is built for this run alone: %s", why)
            folder = _of_this_process()
        target = folder / TICK.name(metadata.version("jaxlib"))
    if not target.is_file():
        build(target)
    return target


def origin() -> str:
    """Where the library in use comes from, in words."""
    return "came with the package" if TICK.shipped() else "built on this machine"


def build(target: Path, *flags: str) -> None:
    """Compile the library into a file.

    Raises
    ------
    LinkError
        If there is no compiler, or it fails, or the file cannot be written.
    """
    command = compiler()
    if command is None:
        raise LinkError("no C++ compiler; install g++ or clang, or name one in CXX")
    TICK.build(target, command, *flags, "-isystem", jax.ffi.include_dir())
