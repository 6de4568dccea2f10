"""`dovetail doctor`: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = ("jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "scipy", "xarray", "h5netcdf")


def examine() -> int:
    """Print one line a finding; the exit code is 1 if something that Dovetail needs is missing."""
    missing = []
    print(f"python            {platform.python_version()} on {platform.system()} {platform.machine()}")
    print(f"dovetail          {metadata.version('dovetail')}")
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
    print(f"cores             {os.cpu_count()}")
    print(f"C++ compiler      {_compiler()}")
    print(f"real-time policy  {_policy()}")
    print(f"locked memory     {_locked_memory()}")
    return int(bool(missing))


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
    from dovetail.core import kept_programs

    folder = Path(os.environ.get(kept_programs.CHOSEN) or kept_programs.folder())
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
