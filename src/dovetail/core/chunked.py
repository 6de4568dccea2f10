"""Evaluation of a large batch in chunks that are stored on disk; an interrupted batch can be resumed.

Each chunk is one file, renamed only after it is complete. The folder belongs to one batch: its name contains a
fingerprint of the computation.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import OutputError

Measures = dict[str, np.ndarray]


def fingerprint(*trees: Any) -> str:
    """Return a short hash of all numbers and static fields of the trees."""
    digest = hashlib.sha256()
    for tree in trees:
        leaves, structure = jax.tree_util.tree_flatten(tree)
        digest.update(str(structure).encode())
        for leaf in leaves:
            if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                leaf = jax.random.key_data(leaf)
            digest.update(np.ascontiguousarray(np.asarray(leaf)).tobytes())
    return digest.hexdigest()[:16]


def evaluate_in_chunks(
    points: Mapping[str, np.ndarray],
    evaluation: Callable[[dict[str, np.ndarray]], Mapping[str, Any]],
    *,
    size: int,
    store: Path | None = None,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Measures, int]:
    """Return all measures of all points, and the number of chunks read from the store.

    Parameters
    ----------
    points
        Arrays of one length, by name.
    evaluation
        Function from arrays of length `size` to measures of that length. The last chunk is padded with its last
        point, so that only one size is compiled.
    store
        Folder of finished chunks; None stores nothing.
    threads
        Number of chunks computed at the same time; compiled code releases the interpreter lock.
    """
    count = len(next(iter(points.values())))
    starts = list(range(0, count, size))
    if store is not None:
        try:
            store.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{store}: cannot be written ({error.strerror}); give another folder"
            ) from error
    stored = 0
    done = 0

    def read_or_compute(start: int) -> tuple[Measures, bool]:
        file = None if store is None else store / f"chunk-{start:06d}.npz"
        if file is not None and file.is_file():
            with np.load(file) as arrays:
                return {name: arrays[name] for name in arrays.files}, True
        index = np.minimum(np.arange(start, start + size), count - 1)
        padded = evaluation({name: np.asarray(values)[index] for name, values in points.items()})
        length = min(size, count - start)
        measures: dict[str, Any] = {name: np.asarray(values)[:length] for name, values in padded.items()}
        if file is not None:
            partial = file.with_suffix(".partial.npz")
            np.savez(partial, **measures)
            os.replace(partial, file)
        return measures, False

    chunks: list[Measures] = []
    with ThreadPoolExecutor(max_workers=max(threads, 1)) as pool:
        try:
            for measures, from_store in pool.map(read_or_compute, starts):
                chunks.append(measures)
                stored, done = stored + from_store, done + 1
                if progress is not None:
                    progress(done, len(starts))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {name: np.concatenate([c[name] for c in chunks]) for name in chunks[0]}, stored
