"""Build script: the wheel contains the shared libraries in the folder `DOVETAIL_NATIVE` (`make wheel`)."""

import os
import platform
import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

NATIVE = os.environ.get("DOVETAIL_NATIVE", "")


class Package(Distribution):
    """Distribution that is platform-specific if it contains libraries."""

    def has_ext_modules(self) -> bool:
        return bool(NATIVE)


class Modules(build_py):
    """Package files, and the libraries at the same relative paths as in their folder."""

    def run(self) -> None:
        super().run()
        if NATIVE and not self.editable_mode:
            shutil.copytree(NATIVE, Path(self.build_lib, "dovetail"), dirs_exist_ok=True)


class Wheel(bdist_wheel):
    """Wheel for every Python version of a platform: the libraries are loaded by ctypes."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


if sys.maxsize < 2**32 or (sys.platform == "linux" and platform.libc_ver()[0] != "glibc"):
    sys.exit(
        "Dovetail needs a 64-bit Python, and on Linux the GNU C library: JAX is not available for other systems. "
        "Use such a Python, for example in a container from a Debian image (Dockerfile)."
    )
setup(distclass=Package, cmdclass={"build_py": Modules, "bdist_wheel": Wheel})
