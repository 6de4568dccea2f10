"""Prepared form: fast update equals complete preparation."""

import dataclasses

import jax
import numpy as np
import pytest

from dovetail.app.prepared import Prepared
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get


def same(a, b):
    assert jax.tree.structure(a) == jax.tree.structure(b)
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("substructuring/cs1-afp", ["numerical.c", "rig.specimen.k", "excitation.amplitude"]),
        (
            "substructuring/lag-damper",
            ["rig.actuator.parts[0].tau", "rig.specimen.opening_force", "feedback.measured_fraction"],
        ),
    ],
)
def test_the_fast_preparation_equals_the_full_preparation(name, paths):
    test = load(find_test(name))
    shape = test.shape
    short = Prepared(test, paths, lambda one: one.with_shapes(shape))
    assert None not in short.indices.values()
    random = np.random.default_rng(7)
    for _ in range(3):
        values = {path: float(np.ravel(get(test, path))[0]) * random.uniform(0.5, 1.5) for path in paths}
        same(short.with_values(values), test.with_values(**values).with_shapes(shape))


def test_a_value_with_dependants_is_prepared_again():
    test = load(find_test("substructuring/cs1"))

    def make(one):
        return {"k": one.numerical.k, "frequency": (one.numerical.k / one.numerical.m) ** 0.5}

    short = Prepared(test, ["numerical.k"], make)
    assert short.indices["numerical.k"] is None
    same(short.with_values({"numerical.k": 9000.0}), make(test.with_values(**{"numerical.k": 9000.0})))


def test_values_with_joint_effects_are_detected():
    test = dataclasses.replace(load(find_test("substructuring/cs1")))
    paths = ["numerical.z0", "numerical.v0"]  # both zero: moved alone, their product stays

    def make(one):
        return {"z": one.numerical.z0, "v": one.numerical.v0, "product": one.numerical.z0 * one.numerical.v0}

    short = Prepared(test, paths, make)
    same(short.with_values({"numerical.z0": 2.0, "numerical.v0": 3.0}), {"product": 6.0, "v": 3.0, "z": 2.0})
