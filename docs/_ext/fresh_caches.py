"""Each gallery example starts with JAX's caches empty, so that compiled programs do not pile up over a build."""

import sys


def forget_programs(gallery_conf, fname):
    """Drop what the example before has compiled: kept for all fifty it fills several gigabytes."""
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
