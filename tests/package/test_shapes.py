"""Annotated shapes are checked while tests run, at no cost otherwise."""

import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float, TypeCheckError, jaxtyped

import shape_checks
from dovetail.mechanics.chain import joints
from dovetail.mechanics.chain.base import ChainLoads, node_forces

ROOMS = ("core", "mechanics.chain", "mechanics.contact", "testing", "transfer")


def test_every_package_with_arrays_annotates_shapes():
    names = shape_checks.annotated()
    assert [room for room in ROOMS if not any(name.startswith(f"dovetail.{room}.") for name in names)] == []


def test_a_wrong_argument_is_rejected_with_its_name():
    with pytest.raises(TypeCheckError, match=r"joints\.friction(.|\n)*rate"):
        joints.friction(jnp.zeros((2, 5)), 1.0)


def test_sizes_of_one_call_belong_together():
    with pytest.raises(TypeCheckError, match=r"joints\.link_forces(.|\n)*parameter 'l'"):
        joints.link_forces(jnp.zeros((3, 5)), jnp.zeros((3, 5)), jnp.ones(4))


def test_a_wrong_result_is_rejected():
    def thrown(x: Float[Array, " n"]) -> Float[Array, "2 n"]:
        return jnp.stack([x, x, x])

    with pytest.raises(TypeCheckError, match=r"return value(.|\n)*thrown"):
        jaxtyped(thrown, typechecker=shape_checks.checked)(jnp.zeros(4))


def test_numbers_are_converted_to_arrays():
    forces = node_forces(4, ChainLoads(jnp.zeros(3), node=np.zeros((3, 5))))
    assert forces.shape == (3, 5)
    assert np.all(joints.friction(np.ones((3, 4)), 1.0) == 0.0)


def test_shapes_are_not_checked_outside_tests():
    code = "from dovetail.mechanics.chain import joints; assert not hasattr(joints.friction, '__wrapped__')"
    subprocess.run([sys.executable, "-c", code], check=True)
