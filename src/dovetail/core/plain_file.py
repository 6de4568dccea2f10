"""Plain files: opened without following links, read with a bound, written completely or not at all.

A run folder or a store may come from another person. A link in it leads to another file, a device or a pipe never
ends, and a file may be larger than the memory. The functions raise `OSError` with a reason for all of them.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path

LIMIT = 64 * 2**20  # [B] of a text file: hundreds of times the longest that Dovetail writes
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # not available on Windows
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW | getattr(os, "O_BINARY", 0)


def open_plain(path: str | Path, *, follow: bool = False) -> io.BufferedReader:
    """Return an open plain file; `follow` allows a link, for a file that the user names."""
    try:
        descriptor = os.open(path, READ | (0 if follow else NO_FOLLOW))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(error.errno, "is a link; expected a plain file", str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "is a device, a pipe or a directory; expected a plain file", str(path))
    return os.fdopen(descriptor, "rb")


def read(path: str | Path, limit: int = LIMIT, *, follow: bool = False) -> bytes:
    """Return the content of a plain file of at most `limit` bytes."""
    with open_plain(path, follow=follow) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(errno.EFBIG, f"is larger than {limit} bytes", str(path))
        return file.read()


def create(path: str | Path) -> io.BufferedWriter:
    """Return a new file in place of an earlier one; a link is replaced, not followed."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    return os.fdopen(os.open(path, CREATE, 0o666), "wb")


def write(path: str | Path, data: str | bytes, *, sync: bool = False) -> None:
    """Write a file completely or not at all; `sync` waits until the disk has it."""
    partial = f"{path}.partial"
    with create(partial) as file:
        file.write(data.encode() if isinstance(data, str) else data)
        if sync:
            file.flush()
            os.fsync(file.fileno())
    os.replace(partial, path)


def require_plain_tree(folder: Path) -> None:
    """Raise `OSError` for the first entry of a folder, at any depth, that is not a plain file or a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                require_plain_tree(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                raise OSError(errno.EINVAL, "is a link, a device or a pipe; remove it", entry.path)
