"""Batches in chunks: equal to one batch, and resumed after an interruption."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.chunked import evaluate_in_chunks, fingerprint
from dovetail.core.errors import OutputError

POINTS = {"a": np.arange(10.0), "b": np.arange(10.0) ** 2}


def square(points):
    assert len(points["a"]) == 4  # one size only
    return {"sum": points["a"] + points["b"]}


@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_equal_one_batch(threads):
    measures, stored = evaluate_in_chunks(POINTS, square, size=4, threads=threads)
    np.testing.assert_array_equal(measures["sum"], POINTS["a"] + POINTS["b"])
    assert stored == 0


def test_an_interrupted_batch_is_resumed(tmp_path):
    calls = []

    def breaking(points):
        calls.append(points["a"][0])
        if len(calls) == 3:
            raise KeyboardInterrupt
        return square(points)

    with pytest.raises(KeyboardInterrupt):
        evaluate_in_chunks(POINTS, breaking, size=4, store=tmp_path / "store")
    measures, stored = evaluate_in_chunks(POINTS, breaking, size=4, store=tmp_path / "store")
    assert stored == 2
    assert calls == [0.0, 4.0, 8.0, 8.0]
    np.testing.assert_array_equal(measures["sum"], POINTS["a"] + POINTS["b"])


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="give another folder"):
        evaluate_in_chunks(POINTS, square, size=4, store=tmp_path / "file" / "store")


def test_a_fingerprint_changes_with_every_number():
    assert fingerprint({"x": jnp.ones(3)}) == fingerprint({"x": jnp.ones(3)})
    assert fingerprint({"x": jnp.ones(3)}) != fingerprint({"x": jnp.ones(3).at[1].set(1.0 + 1e-15)})
