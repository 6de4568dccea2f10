"""Library of the native tick: the file of the package, or built with the compiler of the system.

It uses the stable FFI header of XLA. If the package contains no library (a clone, another type of machine), it is built
at first use, once for each version of sources and jaxlib, in `native` of the cache folder of the user
(`DOVETAIL_CACHE`, or `XDG_CACHE_HOME/dovetail`, or `~/.cache/dovetail`). Only a library with a valid seal is loaded
(`core/cache_folder`). If the folder cannot be used, the library is built for this process only, with a warning.
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

from dovetail.core.cache_folder import SealedFolder, user_cache
from dovetail.core.errors import LinkError, OutputError
from dovetail.links.shared_library import Library

log = logging.getLogger("dovetail")
TICK = Library(
    "the native tick",
    "dovetail.links.native",
    "tick",
    sources=("tick.cc", "session.cc", "show.cc", "tunables.cc"),
    headers=("wire.h",),
    flags=("-std=c++17",),
)


def compiler() -> str | None:
    """Return the path of a C++ compiler: `CXX`, or a common name."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def cache_folder() -> Path:
    """Return the folder of built libraries."""
    return Path(os.environ.get("DOVETAIL_CACHE") or user_cache()) / "native"


@functools.cache
def _process_folder() -> Path:
    """Return a folder that is removed at the end of the process."""
    scratch = tempfile.TemporaryDirectory(prefix="dovetail-")
    atexit.register(scratch.cleanup)
    return Path(scratch.name)


def library_path() -> Path:
    """Return the path of the library: in the package, or built if necessary.

    Raises
    ------
    LinkError
        If there is no compiler, the compiler fails, or the system is not Linux.
    """
    if platform.system() != "Linux":
        raise LinkError(f"the native tick requires Linux; this system is {platform.system()}")
    if (target := TICK.packaged_library()) is not None:
        return target
    name = TICK.name(metadata.version("jaxlib"))
    try:
        folder = SealedFolder(cache_folder())
    except OutputError as error:
        log.warning("the native tick is built for this process only: %s", error)
        target = _process_folder() / name
        if not target.is_file():
            build(target)
        return target
    target = folder.path / name
    if name not in folder.names:
        build(target)
        folder.seal_new()
    return target


def origin() -> str:
    """Return the origin of the library in use."""
    return "from the package" if TICK.packaged_library() else "built on this machine"


def build(target: Path, *flags: str) -> None:
    """Compile the library into a file.

    Raises
    ------
    LinkError
        If there is no compiler, the compiler fails, or the file cannot be written.
    """
    command = compiler()
    if command is None:
        raise LinkError("no C++ compiler found; install g++ or clang, or set CXX")
    TICK.build(target, command, *flags, "-isystem", jax.ffi.include_dir())
