"""Cache folders of the user, with files that are authenticated before they are loaded as code.

Loading a compiled program or a library executes it. A file is therefore used only if

- the folder and its parents belong to the user or to root, and nobody else can write to them;
- the file, opened by descriptor, is a plain file of the user, and nobody else can write to it;
- the file has a seal: HMAC-SHA-256 of name and content with a key that lies outside of the cache, in
  `~/.config/dovetail/cache.key` (or `XDG_CONFIG_HOME`), and that only the user can read.

Other files are removed and made again. A cache folder may be deleted at any time.
"""

from __future__ import annotations

import functools
import hmac
import os
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from dovetail.core.errors import OutputError, reason

SEALS = "seals"  # file of a folder with the seals of the others, one a line
KEY_SIZE = 32  # [B]
MIN_FREE = 10_000_000  # [B] of the disk, below which a file that was just written may be incomplete


def user_cache() -> Path:
    """Return the cache folder of Dovetail for this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dovetail"


def key_file() -> Path:
    """Return the file of the key, outside of the cache."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "dovetail" / "cache.key"


def folder_fault(folder: Path) -> str:
    """Return why code must not be loaded from a folder, or an empty string; a missing folder is created."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        outer = folder.parent.resolve()
        faults = (_fault(path, path.lstat(), is_folder=True) for path in (folder, outer, *outer.parents))
        return next(filter(None, faults), "")
    except OSError as error:
        return f"{folder} cannot be created ({reason(error)})"


def read_own(path: Path) -> bytes:
    """Return the content of a plain file that only this user can write.

    Raises
    ------
    OutputError
        If it is another kind of file, or others can write to it.
    """
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # as far as the system has them
        flags |= getattr(os, name, 0)
    with open(os.open(path, flags), "rb") as file:
        if fault := _fault(path, os.fstat(file.fileno())):
            raise OutputError(fault)
        return file.read()


def _fault(path: Path, status: os.stat_result, is_folder: bool = False) -> str:
    """Return why a file or folder is of the wrong kind or can be changed by others; empty if it cannot."""
    if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(status.st_mode):
        return f"{path} is not a {'directory' if is_folder else 'plain file'}"
    if not hasattr(os, "geteuid"):  # a system without the owners and modes of POSIX
        return ""
    if status.st_uid not in (os.geteuid(), 0 if is_folder else os.geteuid()):
        return f"{path} belongs to another user, who could store other code there; remove it"
    is_sticky = is_folder and status.st_mode & stat.S_ISVTX  # others cannot replace what the user has in it
    for_others = stat.S_IWOTH if _is_private(status.st_gid) else stat.S_IWOTH | stat.S_IWGRP
    if status.st_mode & for_others and not is_sticky:
        return f"other users can write to {path}; close it: chmod go-w {path}"
    return ""


@functools.cache
def _is_private(group: int) -> bool:
    """Return whether a group has this user as its only member, as on systems with a group for each user."""
    import grp
    import pwd

    with suppress(KeyError):
        return grp.getgrgid(group)[::3] == (pwd.getpwuid(os.geteuid()).pw_name, [])
    return False


@functools.cache
def _key() -> bytes:
    """Return the key of the seals; it is created if missing.

    Raises
    ------
    OutputError
        If it cannot be created, or others could have replaced it.
    """
    file = key_file()
    if fault := folder_fault(file.parent):
        raise OutputError(fault)
    try:
        if not os.path.lexists(file):
            with tempfile.NamedTemporaryFile(dir=file.parent) as new:  # only the user can read it
                new.write(secrets.token_bytes(KEY_SIZE))
                new.flush()
                with suppress(FileExistsError):  # of a process that was started at the same time
                    os.link(new.name, file)
        key = read_own(file)
    except OSError as error:
        raise OutputError(f"{file} cannot be used ({reason(error)})") from error
    if len(key) != KEY_SIZE:
        raise OutputError(f"{file} has {len(key)} bytes instead of {KEY_SIZE}; remove it")
    return key


class SealedFolder:
    """Folder of files with seals; opening it removes the files without a valid seal.

    Attributes
    ----------
    names
        Names of the files that may be loaded.

    Raises
    ------
    OutputError
        If the folder or the key cannot be used.
    """

    def __init__(self, path: Path) -> None:
        if fault := folder_fault(path):
            raise OutputError(fault)
        self.path = path
        try:
            self.names = self._sealed(_key())
        except OSError as error:
            raise OutputError(f"{path} cannot be used ({reason(error)})") from error

    def _sealed(self, key: bytes) -> set[str]:
        """Return the names of the files with a valid seal, and remove the others."""
        try:
            seals = set(read_own(self.path / SEALS).decode("ascii", "replace").split())
        except (FileNotFoundError, OutputError):
            seals = set()
        present = self._present()
        sealed = {name for name in present if self._seal(key, name) in seals}
        for name in present - sealed:
            with suppress(FileNotFoundError):
                os.unlink(self.path / name)
        return sealed

    def seal_new(self) -> None:
        """Seal the files that were written since; on a full disk they may be incomplete and get no seal."""
        with suppress(OSError):
            new = self._present() - self.names
            if new and shutil.disk_usage(self.path).free > MIN_FREE:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
                with open(os.open(self.path / SEALS, flags, 0o600), "a", encoding="ascii") as file:
                    file.write("".join(f"{self._seal(_key(), name)}\n" for name in new))
                self.names |= new

    def remove_oldest(self, max_size: float) -> None:
        """Remove the oldest files if the folder is larger than `max_size` [B], down to nine tenths of it."""
        with suppress(OSError):
            files = [((self.path / name).stat(), name) for name in self.names]
            size, limit = sum(status.st_size for status, _ in files), max_size
            for status, name in sorted(files, key=lambda file: file[0].st_mtime_ns):
                if size <= limit:
                    break
                os.unlink(self.path / name)
                self.names.discard(name)
                size, limit = size - status.st_size, 0.9 * max_size

    def _present(self) -> set[str]:
        with os.scandir(self.path) as entries:
            return {entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)} - {SEALS}

    def _seal(self, key: bytes, name: str) -> str:
        try:
            content = read_own(self.path / name)
        except (OSError, OutputError):
            return ""
        return hmac.digest(key, name.encode() + b"\0" + content, "sha256").hex()
