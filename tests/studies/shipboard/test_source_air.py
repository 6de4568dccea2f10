"""Drag, rotor, wind and controls go through the source's files, or are refused."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.mechanics.bodies.loads import BodyMotion
from dovetail.studies.shipboard.assembly import loaded
from dovetail.studies.shipboard.source_files import read_inputs, write_inputs
from dovetail.testing.test_file import parse


@pytest.mark.parametrize("name", ["case-6", pytest.param("case-6-cyclic", marks=pytest.mark.slow)])
def test_air_loads_are_restored_from_files_of_the_source_format(tmp_path, name):
    test = loaded(name)
    again = parse(read_inputs(write_inputs(test, tmp_path)))
    assert [type(load) for load in again.numerical.loads] == [type(load) for load in test.numerical.loads]
    rng = np.random.default_rng(5)
    for t in (0.0, 1.2, 4.3, 7.4):
        turn = rng.uniform(-0.4, 0.4)
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        place, velocity, spin = rng.normal(size=(3, 3))
        motion = BodyMotion(*(jnp.asarray(v) for v in (R, place, velocity, spin, np.zeros(3))))
        for ours, theirs in zip(test.numerical.loads, again.numerical.loads, strict=True):
            for a, b in zip(ours.act(t, motion), theirs.act(t, motion), strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "changes", "text"),
    [
        ("case-8", (), "PilotedRotor"),
        ("case-6-rotor", (("numerical.loads.0.density", 1.0),), "air of 1 kg"),
        ("case-6-rotor", (("numerical.loads.0.rotor.inflow", "momentum"),), 'inflow = "momentum"'),
    ],
)
def test_values_that_the_file_format_cannot_store_are_rejected(tmp_path, name, changes, text):
    with pytest.raises(OutputError, match=text):
        write_inputs(loaded(name, changes), tmp_path)
