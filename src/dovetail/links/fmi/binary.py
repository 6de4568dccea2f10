"""The binary of our FMUs, the same for every model: the one that came with the package, else compiled.

It is made from `fmu.c` and the headers of the standard, which FMPy ships.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from dovetail.core.errors import LinkError
from dovetail.links.shared_library import Library

BINARIES = {
    "2.0": Library("the FMU", "dovetail.links.fmi", "fmu2", ("fmu.c",)),
    "3.0": Library("the FMU", "dovetail.links.fmi", "fmu3", ("fmu.c",), flags=("-DFMI3",)),
}


def put_binary(target: Path, version: str) -> None:
    """Write the binary of a version of the standard to a file.

    Raises
    ------
    LinkError
        If it must be compiled and there is no compiler, or FMPy is missing.
    """
    came = BINARIES[version].shipped()
    if came:
        shutil.copyfile(came, target)
    else:
        build(target, version)


def build(target: Path, version: str, *flags: str) -> None:
    """Compile it.

    Raises
    ------
    LinkError
        If there is no compiler, it fails, or FMPy is missing.
    """
    try:
        import fmpy
    except ImportError:
        raise LinkError('an FMU needs FMPy for the FMI headers: pip install "dovetail-hybrid[fmi]"') from None
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise LinkError("an FMU needs a C compiler: install gcc or clang")
    headers = Path(fmpy.__file__).parent / "c-code"
    BINARIES[version].build(target, compiler, *flags, "-I", str(headers))
