"""What all tests share: compiled programs are let go before they fill the memory of a small machine."""

import gc
import os
import sys

import pytest

MOST = 3e9  # [B] of a test process, beyond which what JAX compiled is dropped


def resident() -> float:
    """Memory this process holds [B]; zero where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0.0


@pytest.fixture(autouse=True, scope="module")
def bounded_memory():
    """After each module, and only where much has gathered: dropping programs means compiling some anew."""
    yield
    if "jax" in sys.modules and resident() > MOST:
        sys.modules["jax"].clear_caches()
        gc.collect()
