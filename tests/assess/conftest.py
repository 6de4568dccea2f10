"""Tests to design for: CS1 with an actuator of choice, short and at 1 kHz."""

import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.assess import DesignOptions, design


def _cs1(actuator=None, *, c=15.0, duration=2.0, **changes):
    """CS1: 2.2 kg on 2250 N/m, a spring of 2250 N/m as specimen, the wall moving 12 mm at 3 Hz."""
    values = {
        "numerical": dv.mechanics.Oscillator(m=2.2, c=c, k=2250.0),
        "rig": dv.Rig(actuator or dv.transfer.Delay(9.4e-3), dv.specimens.Spring(k=2250.0)),
        "excitation": dv.Sine(amplitude=jnp.asarray(0.012), frequency=jnp.asarray(3.0)),
        "limits": dv.Limits(displacement=0.05, force=100.0),
        "rate": 1000.0,
        "duration": duration,
        "title": "CS1",
    }
    return dv.Test(**values | changes)


@pytest.fixture(scope="session")
def cs1():
    return _cs1


@pytest.fixture(scope="session")
def lost():
    """A design without compensation on a rig with too much delay."""
    return design(_cs1(), DesignOptions(compensator="none", robustness="none", model_order=0))
