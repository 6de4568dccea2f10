"""What all tests share: no program is compiled twice, nor kept until the memory of a small machine is full."""

import ctypes
import gc
import os
import shutil
import sys
import tempfile

import pytest

MOST = 3e9  # [B] of a test process, beyond which what JAX compiled is dropped
ROOM = 1e9  # [B] that must have gathered since it was last dropped: what does not go away is no reason to drop more

limit = MOST

FOLDER = "JAX_COMPILATION_CACHE_DIR"


def pytest_configure(config):
    """What one test process compiles the others, and the commands that tests start, find in a folder of this session.

    It begins empty and goes with the session; a folder or an empty value that the user has named stays as it is.
    """
    # an entry that another process is just writing costs time, nothing else
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache.*")
    if FOLDER not in os.environ:
        folder = tempfile.mkdtemp(prefix="dovetail-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ[FOLDER] = folder
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")


def resident() -> float:
    """Memory this process holds [B]; zero where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


def trim() -> None:
    """Give what was freed back to the system, which the C library does not do by itself."""
    if sys.platform == "linux":
        give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if give_back is not None:
            give_back(0)


@pytest.fixture(autouse=True, scope="module")
def bounded_memory():
    """After each module, and only where much has gathered: dropping programs means compiling some anew."""
    global limit
    yield
    if "jax" in sys.modules and resident() > limit:
        sys.modules["jax"].clear_caches()
        gc.collect()
        trim()
        limit = max(MOST, resident() + ROOM)
