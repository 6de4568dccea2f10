"""Compiled loops are kept between commands, so that a test starts at once the second time.

They lie in the user's cache folder, by processor, since code compiled for one
processor may not run on another that shares the home folder. The folder may be deleted at any time;
`JAX_COMPILATION_CACHE_DIR` names another one, and an empty value keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import platform
import warnings
from pathlib import Path

FOLDER = "JAX_COMPILATION_CACHE_DIR"
SHORTEST = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"


def keep() -> None:
    """Have JAX keep what it compiles; must come before JAX is imported."""
    os.environ.setdefault(FOLDER, str(folder()))
    os.environ.setdefault(SHORTEST, "0.5")
    # an entry that cannot be read or written costs time, nothing else: no reason to alarm the user
    warnings.filterwarnings("ignore", message=".*persistent compilation cache.*")


def folder() -> Path:
    """Where compiled loops are kept for this user and processor."""
    return cache() / f"compiled-{_processor()}"


def cache() -> Path:
    """Dovetail's place among this user's caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dovetail"


def _processor() -> str:
    """A name for what code compiled here can rely on."""
    said = platform.machine() + platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        said += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass
    return hashlib.sha256(said.encode()).hexdigest()[:12]
