"""Parameters: range, unit, text of a fault."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Parameter, Part, choice, constant, count, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete, declared_parameters


class Everything(Part):
    length: Parameter = parameter("m", "length", above=0.0)
    share: Parameter = parameter("1", "share", at_least=0.0, at_most=1.0, default=0.5)
    word: str = choice("ramp", "held", about="shape", default="ramp")
    number: int = count("how many", default=2, at_least=1)
    rate: float = constant("Hz", "rate", default=10.0, above=0.0)


def test_numbers_become_float64_arrays():
    part = Everything(length=[1, 2])
    assert part.length.dtype == jnp.float64
    assert part.length.shape == (2,)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"length": 0.0}, "Everything.length: got 0; must be above 0 m"),
        ({"length": [1.0, -2.0]}, "Everything.length: got [ 1. -2.]; must be above 0 m"),
        ({"length": np.nan}, "Everything.length: got nan; not a number"),
        ({"length": 1.0, "share": 1.5}, "Everything.share: got 1.5; must be at least 0 and at most 1"),
        ({"length": 1.0, "word": "smooth"}, 'Everything.word: got "smooth"; one of ramp, held'),
        ({"length": 1.0, "number": 0}, "Everything.number: got 0; must be at least 1"),
        ({"length": 1.0, "rate": 0}, "Everything.rate: got 0; must be above 0 Hz"),
    ],
)
def test_the_error_for_a_value_outside_its_range(fields, text):
    with pytest.raises(ParameterError) as caught:
        Everything(**fields)
    assert str(caught.value) == text


def test_a_constant_without_a_bound_accepts_any_finite_number():
    class Shifted(Part):
        offset: float = constant("m", "offset")

    assert [Shifted(value).offset for value in (-5.0, 0, 1e9)] == [-5.0, 0.0, 1e9]
    with pytest.raises(ParameterError, match="offset: got inf"):
        Shifted(np.inf)


def test_infinity_is_rejected_unless_it_means_that_a_limit_is_switched_off():
    class Limited(Part):
        stiffness: Parameter = parameter("N/m", "stiffness", default=1.0)
        force: Parameter = parameter("N", "largest force", default=np.inf)
        gain: Parameter = parameter("1", "largest gain", default=0.1, finite=False)

    assert Limited(force=np.inf, gain=np.inf).gain == np.inf
    for value in (np.inf, -np.inf, [1.0, np.inf]):
        with pytest.raises(ParameterError, match="Limited.stiffness: got .*inf.*; needs a finite number"):
            Limited(stiffness=value)


def test_traced_values_are_not_checked():
    assert jax.jit(lambda v: Everything(length=v).length)(-1.0) == -1.0


def test_traced_values_and_placeholders_are_not_concrete():
    assert all_concrete(1.0, np.zeros(2), jnp.ones(3))
    assert not all_concrete(1.0, object())
    results = []
    jax.jit(lambda v: results.append(all_concrete(v)))(1.0)
    assert results == [False]


def test_traced_values_are_arrays_and_placeholders_are_not():
    assert all_arrays(np.zeros(2) + jnp.ones(2), jnp.ones(3))
    assert not all_arrays(jnp.ones(3), object())
    results = []
    jax.jit(lambda v: results.append(all_arrays(v)))(1.0)
    assert results == [True]


def test_numeric_fields_are_leaves_and_texts_are_not():
    leaves = jax.tree.leaves(Everything(length=1.0))
    assert len(leaves) == 2
    assert eqx.tree_at(lambda p: p.length, Everything(length=1.0), jnp.array(3.0)).length == 3.0


def test_declared_parameters_of_a_class():
    assert declared_parameters(Everything)["length"].unit == "m"
    assert set(declared_parameters(Everything)) == {"length", "share", "word", "number", "rate"}
