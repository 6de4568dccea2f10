"""A large batch in chunks that are kept on disk: an interrupted one goes on where it stopped.

Every chunk is a file of its own, written whole and then given its name, so that a file that is there is complete. The
folder belongs to one batch: the fingerprint of what is computed is part of its name, and another batch gets another.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import numpy as np

from dovetail.core.errors import OutputError

Measures = dict[str, np.ndarray]


def fingerprint(*trees: Any) -> str:
    """A short word that changes with any number or static field of the trees."""
    digest = hashlib.sha256()
    for tree in trees:
        leaves, structure = jax.tree_util.tree_flatten(tree)
        digest.update(str(structure).encode())
        for leaf in leaves:
            if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
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
    """All measures of all points, and how many chunks came from the store.

    Parameters
    ----------
    points
        Arrays of one length, by name.
    evaluation
        From such arrays of length `size` to measures of that length. The last chunk is filled up with its last
        point, so that only one size is compiled.
    store
        Folder of finished chunks; None keeps nothing.
    threads
        Chunks computed at once; compiled code lets others run beside it.
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
    found = 0
    done = 0

    def one(start: int) -> tuple[Measures, bool]:
        file = None if store is None else store / f"chunk-{start:06d}.npz"
        if file is not None and file.is_file():
            with np.load(file) as kept:
                return {name: kept[name] for name in kept.files}, True
        index = np.minimum(np.arange(start, start + size), count - 1)
        got = evaluation({name: np.asarray(values)[index] for name, values in points.items()})
        kept = min(size, count - start)
        measures: dict[str, Any] = {name: np.asarray(values)[:kept] for name, values in got.items()}
        if file is not None:
            partial = file.with_suffix(".partial.npz")
            np.savez(partial, **measures)
            os.replace(partial, file)
        return measures, False

    chunks: list[Measures] = []
    with ThreadPoolExecutor(max_workers=max(threads, 1)) as pool:
        try:
            for measures, kept in pool.map(one, starts):
                chunks.append(measures)
                found, done = found + kept, done + 1
                if progress is not None:
                    progress(done, len(starts))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {name: np.concatenate([c[name] for c in chunks]) for name in chunks[0]}, found
