"""Compiled programs are kept between processes, so that a test starts at once the second time.

They lie in the user's cache folder, by version of the compiler and by processor: code compiled for one processor may
not run on another that shares the home folder. The folder may be deleted at any time. JAX asks for a program by a key
of everything that it depends on; here it is read, proved whole by its checksum, and written so that nobody sees half
of it.

Loading a program is running code. So the folder must belong to the user and be closed to everybody else, or it is not
used. That, and whatever else makes a program be compiled again (no room, no permission, another version, a damaged
file), is said once, in words; the numbers are the same, they come later. `DOVETAIL_PROGRAMS` names another place for
them. `JAX_COMPILATION_CACHE_DIR` names a folder that JAX keeps in its own way, and an empty value keeps nothing.
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

CHOSEN = "JAX_COMPILATION_CACHE_DIR"  # by the user, for JAX as a whole
PLACE = "DOVETAIL_PROGRAMS"  # another place for them than the user's cache
MOST = 1e9  # [B] that are kept; beyond it the programs go that were not used for longest
DIGEST = hashlib.sha256().digest_size
SUFFIX = ".program"

log = logging.getLogger("dovetail")


def keep() -> None:
    """Have JAX keep what it compiles; before anything is compiled."""
    if CHOSEN in os.environ or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    place = folder()
    others = sorted(p.name.split("-")[1] for p in place.parent.glob("programs-*-*") if p.is_dir())
    new = not place.exists()
    if why := unfit(place):
        log.warning("compiled programs are not kept, and each is compiled anew: %s", why)
        return
    if new and others:
        text = "programs kept by jaxlib %s are of no use to %s here: each is compiled once more"
        log.warning(text, others[-1], version("jaxlib"))
    if hasattr(compilation_cache, "get_file_cache"):  # another version of JAX keeps them in its own way
        vars(compilation_cache)["get_file_cache"] = lambda path: (JaxPrograms(Path(path)), path)
    jax.config.update("jax_compilation_cache_dir", str(place))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def folder() -> Path:
    """Where programs are kept for this user, compiler and processor."""
    return Path(os.environ.get(PLACE) or cache()) / f"programs-{version('jaxlib')}-{_processor()}"


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


def unfit(place: Path) -> str:
    """Why code is not to be loaded from a folder; empty where it may be. It is made where there is none."""
    try:
        if not place.is_symlink() and not place.exists():
            place.mkdir(mode=0o700, parents=True)
        about = place.lstat()
    except OSError as error:
        return f"{place} cannot be made ({_why(error)})"
    if not stat.S_ISDIR(about.st_mode):
        return f"{place} is no folder"
    if hasattr(os, "geteuid") and about.st_uid != os.geteuid():
        return f"{place} belongs to another user, who could put other code there; remove it"
    if stat.S_IMODE(about.st_mode) & 0o077 and os.name == "posix":
        return f"others can open {place} and put code there; close it: chmod 700 {place}"
    return ""


_aside = threading.local()


@contextmanager
def aside() -> Iterator[None]:
    """Programs that this thread compiles meanwhile are neither looked for nor kept by JAX."""
    _aside.now = True
    try:
        yield
    finally:
        _aside.now = False


class JaxPrograms:
    """The folder as JAX uses it."""

    def __init__(self, folder: Path):
        self._path, self._programs = folder, opened(folder)

    def get(self, key: str) -> bytes | None:
        """The program of that key, if it is to be looked for."""
        return None if getattr(_aside, "now", False) else self._programs.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep a program, if it is to be kept."""
        if not getattr(_aside, "now", False):
            self._programs.put(key, value)


@functools.cache
def opened(folder: Path) -> Programs:
    """The programs of a folder; the same for all who ask, so that nothing is said twice."""
    return Programs(folder)


class Programs:
    """The folder: bytes by a key."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._told: set[str] = set()
        self._size: float | None = None  # [B] of all programs, as far as this process knows

    def get(self, key: str) -> bytes | None:
        """The program of that key, if it is there and whole."""
        file = self.folder / f"{key}{SUFFIX}"
        try:
            kept = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.tell("read", f"a kept program cannot be read ({_why(error)}), and is compiled again: {file}")
            return None
        if hashlib.sha256(kept[DIGEST:]).digest() != kept[:DIGEST]:
            self.tell("damaged", f"a kept program is damaged, and is compiled again: {file}")
            return None
        with suppress(OSError):
            os.utime(file)  # it was used
        return kept[DIGEST:]

    def put(self, key: str, value: bytes) -> None:
        """Keep a program; where that fails it is compiled again next time."""
        if "write" in self._told:
            return
        name = ""
        try:
            self._make_room(len(value) + DIGEST)
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(value).digest() + value)
            os.replace(name, self.folder / f"{key}{SUFFIX}")
        except OSError as error:
            self.tell("write", f"compiled programs are not kept ({_why(error)}): {self.folder}")
            with suppress(OSError):
                os.unlink(name)

    def _make_room(self, more: int) -> None:
        """Drop the programs that were not used for longest, where there are too many."""
        if self._size is None or self._size + more > MOST:
            about = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in self.folder.iterdir())
            self._size = sum(size for _, size, _ in about)
            for _, size, file in about if self._size + more > MOST else ():
                if self._size + more <= 0.9 * MOST:
                    break
                file.unlink(missing_ok=True)
                self._size -= size
        self._size += more

    def tell(self, what: str, text: str) -> None:
        """Say it, the first time."""
        if what not in self._told:
            self._told.add(what)
            log.warning("%s", text)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
