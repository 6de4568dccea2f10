"""Paths: one way to write them, for parts and for tables."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.testing.paths import declared_at, format_path, get, replace_all, replace_value, steps


def test_every_path_is_written_and_read_back():
    rng = np.random.default_rng(7)
    words = ["rig", "mass", "a.b", "k_s", "x[0]", "Top", "0"]
    for _ in range(200):
        way = [words[rng.integers(len(words))]]
        for _ in range(rng.integers(5)):
            way.append(int(rng.integers(20)) if rng.random() < 0.3 else words[rng.integers(len(words))])
        assert list(steps(format_path(way))) == way


@pytest.mark.parametrize(
    "path", ["", ".", "a.", ".a", "a..b", "a[", "a[]", "a[-1]", "a[x]", "[0]", 'a."b', "a]b", "a[0]b"]
)
def test_an_invalid_path_is_reported(path):
    with pytest.raises(ParameterError, match="is not a path; join names by dots"):
        steps(path)


def test_paths_reach_into_parts_tuples_dictionaries_and_arrays(make_cs1):
    test = make_cs1()
    assert float(get(test, "rig.actuator.delay")) == pytest.approx(3e-3)
    assert float(
        replace_value(test, "rig.actuator.delay", jnp.array(1e-3)).rig.actuator.delay
    ) == pytest.approx(1e-3)
    tree = {"a": (1, 2), "b.c": jnp.arange(6.0).reshape(2, 3)}
    assert get(tree, "a.1") == get(tree, "a[1]") == 2
    assert float(get(tree, '"b.c"[1][2]')) == 5.0
    changed = replace_value(tree, '"b.c"[1][2]', 9.0)
    np.testing.assert_array_equal(changed["b.c"], [[0, 1, 2], [3, 4, 9]])
    np.testing.assert_array_equal(replace_all(tree, {'"b.c"[0]': 7.0})["b.c"], [[7, 7, 7], [3, 4, 5]])
    np.testing.assert_array_equal(replace_all(tree, {'"b.c"': 7.0})["b.c"], np.full((2, 3), 7.0))


def test_an_unknown_path_lists_existing_keys(make_cs1):
    test = make_cs1()
    with pytest.raises(UnknownNameError, match='"rig.actuater.delay" "actuater"; did you mean "actuator"'):
        get(test, "rig.actuater.delay")
    with pytest.raises(
        ParameterError, match=r'"numerical.c\[0\]": the array has the shape \(\) and no entry 0'
    ):
        get(test, "numerical.c[0]")
    with pytest.raises(ParameterError, match="no entry 3"):
        replace_value({"a": jnp.zeros(3)}, "a[3]", 1.0)


def test_the_declaration_of_a_parameter_applies_to_its_entries(make_cs1):
    assert declared_at(make_cs1(), "rig.actuator.delay").unit == "s"
    wide = replace_all(make_cs1(), {"numerical.c": 1.0})
    assert declared_at(wide, "rate").unit == "Hz"
    assert declared_at(wide, "rig") is None
