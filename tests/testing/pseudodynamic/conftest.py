"""Small creep tests, made once."""

import dataclasses

import pytest

import dovetail as dv
from dovetail.testing.pseudodynamic import PseudodynamicSettings


@pytest.fixture(scope="session")
def make_creep():
    """One oscillator, one spring behind a late actuator, 30 steps."""

    def make(delay=9.4e-3, duration=0.03, **stepping):
        settings = {"move_time": 0.04, "settling_time": 0.08, "contact_step": 1e-3, "free_step": 1e-3}
        return dv.Test(
            numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
            rig=dv.Rig(
                actuator=dv.transfer.Delay(delay, max_delay=0.6), specimen=dv.specimens.Spring(k=2250.0)
            ),
            excitation=dv.Sine(amplitude=0.005, frequency=3.0),
            rate=1000.0,
            duration=duration,
            pseudodynamic=PseudodynamicSettings(**{**settings, **stepping}),
        )

    return make


@pytest.fixture(scope="session")
def run(make_creep):
    """That test, run with its virtual cell."""
    return make_creep().run_pseudodynamic()


@pytest.fixture
def variant():
    """The same test with other settings of its stepping."""

    def change(test, **values):
        return dataclasses.replace(test, pseudodynamic=dataclasses.replace(test.pseudodynamic, **values))

    return change
