"""Command `dovetail doctor`: versions, devices, compiler and real-time permissions, and what is missing."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from dovetail import __version__

EXTRAS = {  # optional dependencies: required package and purpose
    "cluster": ("distributed", "campaigns on several processes and machines"),
    "view": ("viser", "3-D view of a run in the browser"),
    "studio": ("nicegui", "the studio in the browser"),
    "fmi": ("fmpy", "import and export of FMI models"),
    "opensees": ("openseespy", "OpenSees as a structure or client; licence for commercial redistribution"),
    "pareto": ("pymoo", "search of Pareto fronts"),
    "film": ("imageio-ffmpeg", "videos on machines without ffmpeg; brings one under the GPL"),
}
LIBRARIES = {  # shared library: its package in Debian and Ubuntu
    "libblas.so.3": "libblas3",
    "liblapack.so.3": "liblapack3",
    "libquadmath.so.0": "libquadmath0",
    "libgfortran.so.4": "libgfortran4",
    "libgfortran.so.5": "libgfortran5",
    "libgomp.so.1": "libgomp1",
}
PACKAGES = ("jax", "jaxlib", "equinox", "lineax", "optimistix", "scipy", "xarray", "h5netcdf")


def print_system() -> int:
    """Print one line per item; return the exit code, 1 if a required package is missing."""
    missing = []
    print(f"python            {platform.python_version()} on {platform.system()} {platform.machine()}")
    print(f"dovetail          {__version__}")
    for name in PACKAGES:
        try:
            print(f"{name:<17} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
            print(f"{name:<17} missing: pip install {name}")
    if not missing:
        print(f"devices           {_devices()}")
        print(f"float64           {_float64()}")
        print(f"XLA loop flag     {_loop_flag()}")
        print(f"native tick       {_native_tick()}")
        print(f"program cache     {_program_cache()}")
    for extra in EXTRAS:
        print(f"{extra:<17} {_extra(extra)}")
    print(f"cores             {os.cpu_count()}")
    print(f"C++ compiler      {_compiler()}")
    print(f"real-time policy  {_policy()}")
    print(f"locked memory     {_locked_memory()}")
    return int(bool(missing))


def _extra(extra: str) -> str:
    """Return version and purpose of an optional dependency, or the command that installs it."""
    package, purpose = EXTRAS[extra]
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return f"not installed ({purpose}): pip install 'dovetail-hybrid[{extra}]'"
    lacks = _opensees() if extra == "opensees" else ""
    return f"{package} {version}, for {purpose}" + (f"; {lacks}" if lacks else "")


def _opensees() -> str:
    """Return why OpenSees cannot be loaded; empty if it can. The loader may not find its bundled libraries."""
    module = "openseespylinux.opensees" if sys.platform.startswith("linux") else "openseespy.opensees"
    result = subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        return ""
    missing = re.search(r"(lib[\w.+-]+): cannot open shared object", result.stderr)
    if missing is None:
        return (
            "it cannot be loaded: " + (result.stderr.strip().splitlines() or ["no error message"])[-1][:120]
        )
    name = missing[1]
    spec = importlib.util.find_spec("openseespylinux")
    bundled = Path(spec.origin).parent / "lib" if spec and spec.origin else None
    if bundled and (bundled / name).exists():
        return f"{name} is bundled but not found by the loader: export LD_LIBRARY_PATH={bundled}"
    return f"{name} is missing: install {LIBRARIES.get(name, 'the package that provides it')}"


def _devices() -> str:
    from dovetail import core  # sets float64 and the compiler flags before JAX starts

    assert core
    import jax

    return ", ".join(f"{d.platform}:{d.id} ({d.device_kind})" for d in jax.devices())


def _loop_flag() -> str:
    """Return whether XLA compiles simulation loops as one function, and who has set the flag."""
    from dovetail.core import LOOP_FLAG

    effect = "loops are 5 to 38 times slower" if LOOP_FLAG.startswith("not") else "each loop is one function"
    return f"{LOOP_FLAG}; {effect}"


def _float64() -> str:
    """Return the default type of JAX for real numbers."""
    from dovetail import core

    assert core
    import jax

    return (
        "default of JAX, set by Dovetail" if jax.config.values["jax_enable_x64"] else "not the default of JAX"
    )


def _native_tick() -> str:
    """Return the implementation of the tick that a real-time run would use."""
    from dovetail.links import native

    reason = native.available()
    return f"not available, real-time runs use Python: {reason}" if reason else native.origin()


def _program_cache() -> str:
    """Return size and folder of the cache of compiled programs."""
    from dovetail.core import programs

    folder = Path(os.environ.get(programs.JAX_VARIABLE) or programs.cache_path())
    size = sum(map(_size, folder.glob("*"))) if folder.is_dir() else 0
    return f"{size / 1e6:.0f} MB in {folder}; may be deleted at any time"


def _size(file: Path) -> int:
    """Return the size of a file [bytes]; 0 if another process has just deleted it."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _compiler() -> str:
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        path = shutil.which(name) if name else None
        if path:
            result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            return result.stdout.splitlines()[0] if result.stdout else name
    return (
        "missing: needed in real-time mode only, if the package contains no native tick; install g++ or clang"
    )


def _policy() -> str:
    """Return whether this process may use SCHED_FIFO; the policy is set and restored."""
    if not hasattr(os, "sched_setscheduler"):
        return "not on this system"
    before, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return "SCHED_FIFO refused: run as root, or grant CAP_SYS_NICE or an rtprio limit"
    except OSError as error:
        return f"SCHED_FIFO refused: {error.strerror}"
    os.sched_setscheduler(0, before, priority)
    return "SCHED_FIFO allowed"


def _locked_memory() -> str:
    try:
        import resource
    except ImportError:
        return "not on this system"
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if soft == resource.RLIM_INFINITY:
        return "unlimited"
    return f"{soft // 1024} KiB; raise the memlock limit for hard real time"
