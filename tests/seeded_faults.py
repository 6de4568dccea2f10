"""Faults drawn from a seed: flipped bits, links in place of files, a disk that is full, a process that is killed."""

from __future__ import annotations

import os
import random
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def flip_bits(folder: Path, rng: random.Random, count: int) -> list[str]:
    """Flip random bits of the files in a folder, each bit with the same probability; return what was flipped."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    flipped = []
    for path in rng.choices(files, [path.stat().st_size for path in files], k=count):
        data = bytearray(path.read_bytes())
        bit = rng.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        flipped.append(f"{path.relative_to(folder)}: bit {bit}")
    return flipped


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files in a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@contextmanager
def disk_full_at(size: int) -> Iterator[None]:
    """Make the system refuse to write any file beyond `size` bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def replace_by_link(path: Path, target: Path) -> None:
    """Replace a file or a folder by a link to another."""
    if path.is_dir():
        path.rename(path.with_name(f"{path.name}.moved-away"))
    else:
        path.unlink(missing_ok=True)
    path.symlink_to(target)


def replace_by_pipe(path: Path) -> None:
    """Replace a file by a pipe that nobody writes."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)
