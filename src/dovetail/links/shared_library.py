"""Shared library of Dovetail: the file of the package, or a compiled one.

A wheel for Linux contains its libraries, so that nothing is compiled. Their names contain a digest of
their sources; a library from other sources, or for another type of machine, is not used.
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

FOLDER = "libraries"  # not a package: Python would import the libraries as modules


@dataclass(frozen=True)
class Library:
    """`package` contains the sources and the library; `flags` of the compiler, in addition to `-O2 -shared`."""

    description: str  # for messages
    package: str
    stem: str
    sources: tuple[str, ...]
    headers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def name(self, *others: str) -> str:
        """Return the file name, with a digest of sources, flags and `others`."""
        words = [word.encode() for word in (*self.flags, *others, platform.machine())]
        digest = hashlib.sha256(b"\0".join([*self._texts().values(), *words])).hexdigest()
        return f"{self.stem}-{digest[:16]}.so"

    def packaged_library(self) -> Path | None:
        """Return the file in the package, if it was built from these sources for this type of machine."""
        path = Path(str(resources.files(self.package))) / FOLDER / self.name()
        return path if path.is_file() else None

    def build(self, target: Path, compiler: str, *flags: str) -> None:
        """Compile the library into a file, atomically.

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
                    raise LinkError(f"{compiler} could not build {self.description}:\n{done.stderr[-2000:]}")
                os.replace(Path(scratch) / "made", target)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LinkError(f"{target.parent}: {self.description} cannot be built ({error})") from error

    def _texts(self) -> dict[str, bytes]:
        folder = resources.files(self.package)
        return {name: folder.joinpath(name).read_bytes() for name in (*self.sources, *self.headers)}
