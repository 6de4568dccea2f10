import equinox as eqx
import jax
import numpy as np
import pytest

import dovetail.core  # noqa: F401  sets float64
from dovetail.core.errors import ParameterError
from dovetail.core.random import Random, assign_keys


class Dice(Random):
    sides: int = eqx.field(static=True, default=6)


class Table(eqx.Module):
    dice: tuple
    lamp: float = 1.0


class Cup(Random):
    inner: Dice


def key_of(part):
    return np.asarray(jax.random.key_data(part.key))


def test_every_random_part_gets_its_own_key():
    tree = assign_keys({"a": Table((Dice(), Dice())), "b": [Dice(), 3.0]}, jax.random.key(0))
    keys = [key_of(d) for d in (*tree["a"].dice, tree["b"][0])]
    assert len({k.tobytes() for k in keys}) == 3
    assert tree["b"][1] == 3.0
    assert tree["a"].lamp == 1.0


def test_keys_depend_on_the_seed():
    once, again, other = (assign_keys(Table((Dice(),)), jax.random.key(s)) for s in (5, 5, 6))
    np.testing.assert_array_equal(key_of(once.dice[0]), key_of(again.dice[0]))
    assert np.any(key_of(once.dice[0]) != key_of(other.dice[0]))


def test_another_part_does_not_change_the_key_of_the_first():
    alone = assign_keys({"b": Dice()}, jax.random.key(0))
    joined = assign_keys({"a": Dice(), "b": Dice()}, jax.random.key(0))
    np.testing.assert_array_equal(key_of(alone["b"]), key_of(joined["b"]))


def test_assigning_again_replaces_the_key():
    once = assign_keys(Dice(), jax.random.key(0))
    again = assign_keys(once, jax.random.key(1))
    np.testing.assert_array_equal(key_of(again), key_of(assign_keys(Dice(), jax.random.key(1))))


def test_a_random_part_inside_a_random_part_gets_a_key():
    cup = assign_keys(Cup(Dice()), jax.random.key(0))
    assert np.any(key_of(cup) != key_of(cup.inner))
    other = assign_keys(Cup(Dice()), jax.random.key(1))
    assert np.any(key_of(other.inner) != key_of(cup.inner))


def test_keys_in_a_batch():
    def first(seed):
        return jax.random.uniform(assign_keys(Dice(), jax.random.key(seed)).draw_key(0))

    draws = jax.vmap(first)(np.arange(4))
    assert len(set(np.asarray(draws).tolist())) == 4
    assert draws[2] == first(2)


def test_a_part_without_a_key_is_an_error():
    with pytest.raises(ParameterError, match=r"Dice.key: is empty.*assign_keys"):
        Dice().draw_key(0)
