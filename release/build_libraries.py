"""Build the shared libraries of a wheel in a folder with the layout of the package: `build_libraries.py FOLDER`."""

import sys
from pathlib import Path

from dovetail.links.fmi import binary
from dovetail.links.native import build
from dovetail.links.shared_library import FOLDER

folder = Path(sys.argv[1])
build.build(folder / "links" / "native" / FOLDER / build.TICK.name(), "-s")
for version, library in binary.BINARIES.items():
    binary.build(folder / "links" / "fmi" / FOLDER / library.name(), version, "-s")
for file in sorted(folder.rglob("*.so")):
    print(f"{file}  {file.stat().st_size / 1e3:.0f} kB")
