"""The test that most tests here run: one mass, a spring as specimen, a late actuator."""

import pytest

import dovetail as dv


def cs1(delay=3e-3, duration=2.0, **fields) -> dv.Test:
    """CS1 of Wallace's thesis with a purely late actuator."""
    fields = {"excitation": dv.Sine(amplitude=0.012, frequency=3.0), "rate": 1000.0, **fields}
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(delay), specimen=dv.specimens.Spring(k=2250.0)),
        duration=duration,
        **fields,
    )


@pytest.fixture
def make_cs1():
    return cs1
