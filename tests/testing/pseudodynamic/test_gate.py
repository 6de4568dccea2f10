"""Gates: near where they say, and nowhere else."""

import jax.numpy as jnp
import pytest

from dovetail.core.errors import UnknownNameError
from dovetail.testing.pseudodynamic import AlwaysOn, ClearanceGate, PlaneGate


def shown(*z):
    return {"displacement": jnp.array(z), "clearance": jnp.array(0.02)}


def test_always_is_always():
    assert bool(AlwaysOn().is_open(shown(1e9)))


def test_a_plane_has_a_side_and_a_margin():
    below = PlaneGate(level=0.067, margin=0.003)
    assert [bool(below.is_open(shown(z))) for z in (0.06, 0.0699, 0.0701)] == [True, True, False]
    above = PlaneGate(level=0.1, axis=2, side="above", margin=0.01)
    assert [bool(above.is_open(shown(0.0, 0.0, z))) for z in (0.08, 0.091, 0.2)] == [False, True, True]


def test_a_clearance_is_near_below_its_margin():
    assert not bool(ClearanceGate(margin=0.01).is_open(shown(0.0)))
    assert bool(ClearanceGate(margin=0.03).is_open(shown(0.0)))


def test_a_missing_gate_signal_is_reported():
    with pytest.raises(UnknownNameError, match='"gap".*clearance, displacement'):
        ClearanceGate(signal="gap").is_open(shown(0.0))
