"""Shapes are computed once for each form of the arguments."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.shapes import shapes


class Line(eqx.Module):
    slope: jnp.ndarray
    order: int = eqx.field(static=True)


@pytest.fixture
def counted():
    calls = []

    def powers(line, x, _=None):
        calls.append(line.order)
        return {"y": jnp.stack([line.slope * x**i for i in range(line.order)])}

    return powers, calls


def test_other_numbers_of_the_same_form_use_the_cache(counted):
    powers, calls = counted
    for slope in np.random.default_rng(3).random(4):
        assert shapes(powers, Line(jnp.asarray(slope), 2), jnp.zeros(3))["y"].shape == (2, 3)
    assert len(calls) == 1


def test_another_shape_or_static_value_is_computed(counted):
    powers, calls = counted
    line = Line(jnp.asarray(1.0), 2)
    assert shapes(powers, line, jnp.zeros(3))["y"].shape == (2, 3)
    assert shapes(powers, line, jnp.zeros(5))["y"].shape == (2, 5)
    assert shapes(powers, dataclasses.replace(line, order=4), jnp.zeros(5))["y"].shape == (4, 5)
    assert shapes(powers, line, jnp.zeros(5, dtype=np.float32))["y"].dtype == np.float32
    assert len(calls) == 4


def test_arguments_without_hash_are_computed_every_time(counted):
    powers, calls = counted
    for _ in range(2):
        line = Line(jnp.asarray(1.0), 2)
        assert shapes(powers, line, jnp.zeros(3), {1, 2})["y"].shape == (2, 3)  # a set has no hash
    assert len(calls) == 2
