"""`dovetail doctor`: what this machine has, what is missing, and how to get it."""

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

EXTRAS = {  # of the package: what is needed for it, and what it is for
    "cluster": ("distributed", "campaigns over several processes and machines"),
    "view": ("viser", "a run in the browser"),
    "studio": ("nicegui", "a test under your hands, in the browser"),
    "fmi": ("fmpy", "models of other tools as substructures, and ours in theirs"),
    "opensees": ("openseespy", "OpenSees on either side of a test"),
    "film": ("imageio-ffmpeg", "a run as a film, where the machine has no ffmpeg"),
}
LIBRARIES = {  # of the system's loader, as Debian and Ubuntu call their packages
    "libblas.so.3": "libblas3",
    "liblapack.so.3": "liblapack3",
    "libquadmath.so.0": "libquadmath0",
    "libgfortran.so.4": "libgfortran4",
    "libgfortran.so.5": "libgfortran5",
    "libgomp.so.1": "libgomp1",
}
PACKAGES = ("jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "scipy", "xarray", "h5netcdf")


def examine() -> int:
    """Print one line a finding; the exit code is 1 if something that Dovetail needs is missing."""
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
        print(f"compiled loop     {_compiled_loop()}")
        print(f"native tick       {_native_tick()}")
        print(f"compiled before   {_kept()}")
    for extra in EXTRAS:
        print(f"{extra:<17} {_extra(extra)}")
    print(f"cores             {os.cpu_count()}")
    print(f"C++ compiler      {_compiler()}")
    print(f"real-time policy  {_policy()}")
    print(f"locked memory     {_locked_memory()}")
    return int(bool(missing))


def _extra(extra: str) -> str:
    """The version of what an extra needs, and what it is for; or how to get it."""
    package, purpose = EXTRAS[extra]
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return f"not installed ({purpose}): pip install 'dovetail-hybrid[{extra}]'"
    lacks = _opensees() if extra == "opensees" else ""
    return f"{package} {version}, for {purpose}" + (f"; {lacks}" if lacks else "")


def _opensees() -> str:
    """What OpenSees lacks to be loaded; it brings libraries that the system's loader does not always find."""
    module = "openseespylinux.opensees" if sys.platform.startswith("linux") else "openseespy.opensees"
    tried = subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True, text=True, check=False
    )
    if tried.returncode == 0:
        return ""
    missing = re.search(r"(lib[\w.+-]+): cannot open shared object", tried.stderr)
    if missing is None:
        return (
            "it cannot be loaded: " + (tried.stderr.strip().splitlines() or ["no reason was given"])[-1][:120]
        )
    name = missing[1]
    where = importlib.util.find_spec("openseespylinux")
    brought = Path(where.origin).parent / "lib" if where and where.origin else None
    if brought and (brought / name).exists():
        return f"the loader misses {name}, which it brings: export LD_LIBRARY_PATH={brought}"
    return f"the loader misses {name}: install it ({LIBRARIES.get(name, 'the package that has it')})"


def _devices() -> str:
    from dovetail import core  # sets float64 and the compiler's flag before JAX starts

    assert core
    import jax

    return ", ".join(f"{d.platform}:{d.id} ({d.device_kind})" for d in jax.devices())


def _compiled_loop() -> str:
    """Whether XLA was told to compile simulation loops as one function."""
    if "small_while_loop_byte_threshold" in os.environ.get("XLA_FLAGS", ""):
        return "whole loops are compiled as one function"
    return "XLA_FLAGS was set before Dovetail was imported: loops run several times slower; unset it"


def _native_tick() -> str:
    """What a real-time run would tick with."""
    from dovetail.links import native

    why_not = native.available()
    return f"none, real time ticks in Python: {why_not}" if why_not else native.origin()


def _kept() -> str:
    """Where compiled loops wait for the next command, and how much room they take."""
    from dovetail.core import program_cache

    folder = Path(os.environ.get(program_cache.CHOSEN) or program_cache.folder())
    size = sum(file.stat().st_size for file in folder.glob("*")) if folder.is_dir() else 0
    return f"{size / 1e6:.0f} MB in {folder}; may be deleted at any time"


def _compiler() -> str:
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        path = shutil.which(name) if name else None
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            return said.stdout.splitlines()[0] if said.stdout else name
    return "missing: only the real-time mode wants one, where the package brought no native tick; install g++ or clang"


def _policy() -> str:
    """Whether this process may use SCHED_FIFO, tried and taken back at once."""
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
