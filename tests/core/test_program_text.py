"""Texts share contexts, by thread and up to a number; what is compiled from them is the same."""

import threading
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters import mlir

from dovetail.core import program_text, programs
from dovetail.core.program_text import SHARED, Contexts

random = np.random.default_rng(20261117)


def test_a_context_serves_a_limited_number_of_texts():
    made = []
    contexts = Contexts(lambda: made.append(object()) or made[-1])
    number = int(random.integers(3, 6))
    given = [contexts() for _ in range(number * SHARED)]
    assert len(made) == number
    assert all(context is made[n // SHARED] for n, context in enumerate(given))


def test_every_thread_has_separate_contexts():
    contexts, together = Contexts(object), threading.Barrier(4)

    def two(_):
        together.wait(10.0)
        return contexts(), contexts()

    with ThreadPoolExecutor(4) as pool:
        pairs = list(pool.map(two, range(4)))
    assert all(a is b for a, b in pairs)
    assert len({id(a) for a, _ in pairs}) == 4


def test_threads_that_compile_concurrently_give_correct_results():
    factors = random.standard_normal((3, 5))

    def compiled(row):
        return [float(jax.jit(lambda x, a=a: x * a + jnp.tanh(x))(1.0)) for a in row]

    with ThreadPoolExecutor(3) as pool:
        found = np.array(list(pool.map(compiled, factors)))
    np.testing.assert_allclose(found, factors + np.tanh(1.0), rtol=1e-15)


def test_the_program_text_does_not_depend_on_its_context(monkeypatch):
    def lowered():
        matrix = np.random.default_rng(3).standard_normal((4, 4))
        return jax.jit(lambda x: jnp.linalg.solve(matrix, jnp.sin(x))).lower(np.ones(4)).as_text()

    shared = lowered()
    monkeypatch.setattr(mlir, "make_ir_context", mlir.make_ir_context.make)
    assert lowered() == shared


def test_sharing_twice_is_sharing_once():
    before = mlir.make_ir_context
    assert isinstance(before, Contexts)
    program_text.share()
    assert mlir.make_ir_context is before


@pytest.mark.drops
def test_contexts_are_freed_with_their_texts():
    programs.drop_programs()
    before = mlir.ir.Context._get_live_count()
    for n in range(5):
        jax.jit(lambda x, n=n: x + n)(1.0)
    assert mlir.ir.Context._get_live_count() <= before + 1


def test_a_nested_text_has_a_separate_context():
    made = []
    contexts = Contexts(lambda: made.append(mlir.make_ir_context.make()) or made[-1])
    with (outer := contexts()):
        inner = contexts()
    assert inner is not outer
    assert contexts() is outer
