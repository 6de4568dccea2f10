"""Binary of exported FMUs, the same for all models: the file of the package, or a compiled one.

It is built from `fmu.c` and the headers of the standard, which are part of FMPy.
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


def write_binary(target: Path, version: str) -> None:
    """Write the binary of a version of the standard to a file.

    Raises
    ------
    LinkError
        If it must be compiled, and the compiler or FMPy is missing.
    """
    packaged = BINARIES[version].packaged_library()
    if packaged:
        shutil.copyfile(packaged, target)
    else:
        build(target, version)


def build(target: Path, version: str, *flags: str) -> None:
    """Compile the binary.

    Raises
    ------
    LinkError
        If there is no compiler, the compiler fails, or FMPy is missing.
    """
    try:
        import fmpy
    except ImportError:
        raise LinkError(
            'an FMU requires FMPy for the FMI headers: pip install "dovetail-hybrid[fmi]"'
        ) from None
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise LinkError("an FMU requires a C compiler; install gcc or clang")
    headers = Path(fmpy.__file__).parent / "c-code"
    BINARIES[version].build(target, compiler, *flags, "-I", str(headers))
