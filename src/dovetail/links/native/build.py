"""Build the native tick with the system's compiler, once for each source, jaxlib and compiler.

Installing Dovetail needs no compiler. The library is kept in the user's cache folder
(`DOVETAIL_CACHE`, else `XDG_CACHE_HOME/dovetail`, else `~/.cache/dovetail`).
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from importlib import metadata, resources
from pathlib import Path

import jax.ffi

from dovetail.core.errors import LinkError

FLAGS = ("-O2", "-std=c++17", "-shared", "-fPIC")
SOURCES = ("tick.cc", "session.cc", "show.cc", "dials.cc")
HEADERS = ("wire.h",)


def compiler() -> str | None:
    """Path of a C++ compiler: `CXX`, else the usual names."""
    names = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def cache_folder() -> Path:
    """Where built libraries are kept."""
    if "DOVETAIL_CACHE" in os.environ:
        return Path(os.environ["DOVETAIL_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dovetail"


def built() -> Path:
    """The library, built now if it was not before.

    Raises
    ------
    LinkError
        If there is no compiler, or it fails, or this is not Linux.
    """
    if platform.system() != "Linux":
        raise LinkError(f"the native tick is for Linux; this is {platform.system()}")
    folder = resources.files("dovetail.links.native")
    texts = {name: folder.joinpath(name).read_bytes() for name in (*SOURCES, *HEADERS)}
    about = [metadata.version("jaxlib").encode(), platform.machine().encode()]
    digest = hashlib.sha256(b"\0".join([*texts.values(), *about])).hexdigest()
    target = cache_folder() / f"tick-{digest[:16]}.so"
    if target.is_file():
        return target
    command = compiler()
    if command is None:
        raise LinkError("no C++ compiler; install g++ or clang, or name one in CXX")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            made = Path(scratch) / "tick.so"
            for name, text in texts.items():
                (Path(scratch) / name).write_bytes(text)
            arguments = [command, *FLAGS, "-isystem", jax.ffi.include_dir(), *SOURCES, "-o", str(made)]
            done = subprocess.run(
                arguments, cwd=scratch, capture_output=True, text=True, check=False, timeout=300
            )
            if done.returncode:
                raise LinkError(f"{command} could not build the native tick:\n{done.stderr[-2000:]}")
            os.replace(made, target)  # whole or not at all, also when two processes build at once
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LinkError(f"{target.parent}: the native tick cannot be built there ({error})") from error
    return target
