"""What all tests share: compiled programs are let go before they fill the memory of a small machine."""

import ctypes
import gc
import os
import sys

import pytest

MOST = 3e9  # [B] of a test process, beyond which what JAX compiled is dropped
ROOM = 1e9  # [B] that must have gathered since it was last dropped: what does not go away is no reason to drop more

limit = MOST


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
