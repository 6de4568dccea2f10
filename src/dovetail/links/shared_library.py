"""A shared library of ours: the file that came with the package, or the one that is compiled where there is none.

A wheel for Linux carries its libraries, so that nothing is compiled. Their names hold a digest of what they were made
from; one that was made from other sources, or for another kind of machine, is not taken.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from dovetail.core.errors import LinkError

FOLDER = "libraries"  # in the package; no package itself, since Python would take what is in it for modules


@dataclass(frozen=True)
class Library:
    """`room`: the package that holds the sources and the library; `flags`: of the compiler, beside `-O2 -shared`."""

    what: str  # in words, for messages
    room: str
    stem: str
    sources: tuple[str, ...]
    headers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def name(self, *others: str) -> str:
        """Of its file: says what it was made from, and what `others` decide."""
        about = [word.encode() for word in (*self.flags, *others, platform.machine())]
        digest = hashlib.sha256(b"\0".join([*self._texts().values(), *about])).hexdigest()
        return f"{self.stem}-{digest[:16]}.so"

    def shipped(self) -> Path | None:
        """The file that came with the package, if it was made from these sources for this kind of machine."""
        path = Path(str(resources.files(self.room))) / FOLDER / self.name()
        return path if path.is_file() else None

    def build(self, target: Path, compiler: str, *flags: str) -> None:
        """Compile it into a file, whole or not at all, also when two processes build at once.

        Raises
        ------
        LinkError
            If the compiler fails, or the file cannot be written.
        """
        target = target.absolute()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
                for name, text in self._texts().items():
                    (Path(scratch) / name).write_bytes(text)
                words = [
                    compiler,
                    "-O2",
                    "-shared",
                    "-fPIC",
                    *self.flags,
                    *flags,
                    *self.sources,
                    "-o",
                    "made",
                ]
                done = subprocess.run(
                    words, cwd=scratch, capture_output=True, text=True, check=False, timeout=300
                )
                if done.returncode:
                    raise LinkError(f"{compiler} could not build {self.what}:\n{done.stderr[-2000:]}")
                os.replace(Path(scratch) / "made", target)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LinkError(f"{target.parent}: {self.what} cannot be built there ({error})") from error

    def _texts(self) -> dict[str, bytes]:
        folder = resources.files(self.room)
        return {name: folder.joinpath(name).read_bytes() for name in (*self.sources, *self.headers)}
