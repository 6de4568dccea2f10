"""A wheel carries the shared libraries that were built for it: `DOVETAIL_NATIVE` names their folder (`make wheel`)."""

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
    """One for a platform if it carries libraries."""

    def has_ext_modules(self) -> bool:
        return bool(NATIVE)


class Modules(build_py):
    """The package's files, and the libraries at the places that they have in their folder."""

    def run(self) -> None:
        super().run()
        if NATIVE and not self.editable_mode:
            shutil.copytree(NATIVE, Path(self.build_lib, "dovetail"), dirs_exist_ok=True)


class Wheel(bdist_wheel):
    """One for every Python of a platform, since the libraries are loaded by ctypes."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


if sys.maxsize < 2**32 or (sys.platform == "linux" and platform.libc_ver()[0] != "glibc"):
    sys.exit(
        "dovetail needs a 64-bit Python, and on Linux the GNU C library: JAX, on which it stands, has nothing for "
        "other systems. Use such a Python, for example in a container of a Debian image (Dockerfile)"
    )
setup(distclass=Package, cmdclass={"build_py": Modules, "bdist_wheel": Wheel})
