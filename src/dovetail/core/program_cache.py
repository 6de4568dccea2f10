"""Cache of compiled programs on disk, so that the second run of a test starts without compilation.

Programs are stored in the cache folder of the user, by version of the compiler and by processor, because code compiled
for one processor may not run on another that shares the home folder. The folder may be deleted at any time. JAX
requests a program by a key of everything that it depends on; it is read, verified by its checksum, and written to a
temporary file that is renamed, so that an incomplete program is never read.

Loading a program executes code. The folder is therefore used only if it belongs to the user and is closed to all
others. If it is not used, or if a program must be compiled again (disk full, no permission, another version, damaged
file), one warning gives the reason; the results are the same. `DOVETAIL_PROGRAM_CACHE` sets another folder.
`JAX_COMPILATION_CACHE_DIR` sets the folder of JAX's own cache; an empty value disables caching.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import platform
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

import jax
from jax._src import compilation_cache

JAX_VARIABLE = "JAX_COMPILATION_CACHE_DIR"  # environment variable of JAX's own cache
FOLDER_VARIABLE = "DOVETAIL_PROGRAM_CACHE"  # environment variable of another folder
MAX_SIZE = 1e9  # [B] of the cache; above it the programs that were not used for longest are removed
DIGEST = hashlib.sha256().digest_size
SUFFIX = ".program"

log = logging.getLogger("dovetail")


def enable() -> None:
    """Let JAX store the programs that it compiles; call before any compilation."""
    if JAX_VARIABLE in os.environ or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    path = folder()
    others = sorted(p.name.split("-")[1] for p in path.parent.glob("programs-*-*") if p.is_dir())
    is_new = not path.exists()
    if fault := folder_fault(path):
        log.warning("compiled programs are not stored: %s", fault)
        return
    if is_new and others:
        text = "programs stored by jaxlib %s cannot be used by %s: each is compiled once more"
        log.warning(text, others[-1], version("jaxlib"))
    if hasattr(compilation_cache, "get_file_cache"):  # other versions of JAX use their own file format
        vars(compilation_cache)["get_file_cache"] = lambda path: (JaxPrograms(Path(path)), path)
    jax.config.update("jax_compilation_cache_dir", str(path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def folder() -> Path:
    """Return the folder of the programs for this user, compiler and processor."""
    return (
        Path(os.environ.get(FOLDER_VARIABLE) or user_cache()) / f"programs-{version('jaxlib')}-{_processor()}"
    )


def user_cache() -> Path:
    """Return the cache folder of Dovetail for this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dovetail"


def _processor() -> str:
    """Return a fingerprint of the instruction set of this processor."""
    text = platform.machine() + platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        text += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def folder_fault(path: Path) -> str:
    """Return why code must not be loaded from a folder, or an empty string; a missing folder is created."""
    try:
        if not path.is_symlink() and not path.exists():
            path.mkdir(mode=0o700, parents=True)
        status = path.lstat()
    except OSError as error:
        return f"{path} cannot be created ({_reason(error)})"
    if not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a directory"
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return f"{path} belongs to another user, who could store other code there; remove it"
    if stat.S_IMODE(status.st_mode) & 0o077 and os.name == "posix":
        return f"other users can write code to {path}; close it: chmod 700 {path}"
    return ""


_bypass = threading.local()


@contextmanager
def cache_bypass() -> Iterator[None]:
    """Context in which JAX neither reads nor stores the programs that this thread compiles."""
    _bypass.active = True
    try:
        yield
    finally:
        _bypass.active = False


class JaxPrograms:
    """Interface of the cache for JAX."""

    def __init__(self, folder: Path):
        self._path, self._programs = folder, programs_in(folder)

    def get(self, key: str) -> bytes | None:
        """Return the program of a key, or None."""
        return None if getattr(_bypass, "active", False) else self._programs.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Store a program, unless the cache is bypassed."""
        if not getattr(_bypass, "active", False):
            self._programs.put(key, value)


@functools.cache
def programs_in(folder: Path) -> Programs:
    """Return the programs of a folder; one object for each folder, so that each warning appears once."""
    return Programs(folder)


class Programs:
    """Programs of a folder: bytes by key."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._warned: set[str] = set()
        self._size: float | None = None  # [B] of all programs, as known to this process

    def get(self, key: str) -> bytes | None:
        """Return the program of a key, or None if it is missing or damaged."""
        file = self.folder / f"{key}{SUFFIX}"
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.warn_once(
                "read", f"a stored program cannot be read ({_reason(error)}) and is compiled again: {file}"
            )
            return None
        if hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
            self.warn_once("damaged", f"a stored program is damaged and is compiled again: {file}")
            return None
        with suppress(OSError):
            os.utime(file)  # marks it as used
        return content[DIGEST:]

    def put(self, key: str, value: bytes) -> None:
        """Store a program; if that fails, it is compiled again by the next process."""
        if "write" in self._warned:
            return
        name = ""
        try:
            self._remove_oldest(len(value) + DIGEST)
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(value).digest() + value)
            os.replace(name, self.folder / f"{key}{SUFFIX}")
        except OSError as error:
            self.warn_once("write", f"compiled programs are not stored ({_reason(error)}): {self.folder}")
            with suppress(OSError):
                os.unlink(name)

    def _remove_oldest(self, more: int) -> None:
        """Remove the programs that were not used for longest, if the cache is too large with `more` bytes."""
        if self._size is None or self._size + more > MAX_SIZE:
            files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in self.folder.iterdir())
            self._size = sum(size for _, size, _ in files)
            for _, size, file in files if self._size + more > MAX_SIZE else ():
                if self._size + more <= 0.9 * MAX_SIZE:
                    break
                file.unlink(missing_ok=True)
                self._size -= size
        self._size += more

    def warn_once(self, topic: str, text: str) -> None:
        """Log a warning, the first time for its topic."""
        if topic not in self._warned:
            self._warned.add(topic)
            log.warning("%s", text)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
