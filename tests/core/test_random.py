import equinox as eqx
import jax
import numpy as np
import pytest

import dovetail.core  # noqa: F401  sets float64
from dovetail.core.errors import ParameterError
from dovetail.core.random import Random, seeded


class Dice(Random):
    sides: int = eqx.field(static=True, default=6)


class Table(eqx.Module):
    dice: tuple
    lamp: float = 1.0


class Cup(Random):
    inner: Dice


def key_of(part):
    return np.asarray(jax.random.key_data(part.key))


def test_every_random_part_gets_a_key_of_its_own():
    tree = seeded({"a": Table((Dice(), Dice())), "b": [Dice(), 3.0]}, jax.random.key(0))
    keys = [key_of(d) for d in (*tree["a"].dice, tree["b"][0])]
    assert len({k.tobytes() for k in keys}) == 3
    assert tree["b"][1] == 3.0
    assert tree["a"].lamp == 1.0


def test_the_seed_decides():
    once, again, other = (seeded(Table((Dice(),)), jax.random.key(s)) for s in (5, 5, 6))
    np.testing.assert_array_equal(key_of(once.dice[0]), key_of(again.dice[0]))
    assert np.any(key_of(once.dice[0]) != key_of(other.dice[0]))


def test_another_part_does_not_change_the_noise_of_the_first():
    alone = seeded({"b": Dice()}, jax.random.key(0))
    joined = seeded({"a": Dice(), "b": Dice()}, jax.random.key(0))
    np.testing.assert_array_equal(key_of(alone["b"]), key_of(joined["b"]))


def test_seeding_again_replaces_the_key():
    once = seeded(Dice(), jax.random.key(0))
    again = seeded(once, jax.random.key(1))
    np.testing.assert_array_equal(key_of(again), key_of(seeded(Dice(), jax.random.key(1))))


def test_a_random_part_inside_a_random_part_is_seeded_too():
    cup = seeded(Cup(Dice()), jax.random.key(0))
    assert np.any(key_of(cup) != key_of(cup.inner))
    other = seeded(Cup(Dice()), jax.random.key(1))
    assert np.any(key_of(other.inner) != key_of(cup.inner))


def test_keys_may_come_in_a_batch():
    def first(seed):
        return jax.random.uniform(seeded(Dice(), jax.random.key(seed)).drawn(0))

    draws = jax.vmap(first)(np.arange(4))
    assert len(set(np.asarray(draws).tolist())) == 4
    assert draws[2] == first(2)


def test_a_part_without_a_key_says_what_to_do():
    with pytest.raises(
        ParameterError, match=r"Dice.key: is empty, so Dice has no random numbers; use seeded"
    ):
        Dice().drawn(0)
