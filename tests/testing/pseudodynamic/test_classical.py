"""The classical pseudo-dynamic test: the central difference, with the restoring force measured."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError
from dovetail.testing.pseudodynamic import PseudodynamicSettings
from dovetail.testing.pseudodynamic.classical import ClassicalLoop

SETTINGS = PseudodynamicSettings(scheme="classical", contact_step=1e-3, move_time=0.02, settling_time=0.02)


def two_storeys(**changes):
    """Two masses on their own; the two storeys' springs are the specimen."""
    settings = {
        "numerical": dv.mechanics.Oscillator(m=[3.0, 2.0], c=[4.0, 5.0], k=[100.0, 0.0]),
        "rig": dv.Rig(dv.transfer.Delay(4e-3), dv.specimens.Spring(k=[2000.0, 1500.0])),
        "excitation": dv.Sine(amplitude=0.01, frequency=2.0),
        "duration": 0.02,
        "pseudodynamic": SETTINGS,
    }
    return dv.Test(**{**settings, **changes})


def test_mass_damping_and_load_are_read_off_the_substructure():
    scheme = ClassicalLoop.from_test(two_storeys())
    assert np.asarray(scheme.structure.mass) == pytest.approx(np.diag([3.0, 2.0]))
    assert np.asarray(scheme.structure.damping) == pytest.approx(np.diag([4.0, 5.0]), abs=1e-12)
    assert np.asarray(scheme.structure.force(np.ones(2), np.zeros(2))) == pytest.approx([100.0, 0.0])
    r, v = 0.01 * np.sin(4 * np.pi * 0.05), 0.01 * 4 * np.pi * np.cos(4 * np.pi * 0.05)
    assert np.asarray(scheme.load(0.05)) == pytest.approx([100 * r + 4 * v, 5 * v], rel=1e-9)


def test_it_is_the_printed_recursion():
    """[Bolien 2018, eq. 2.8], two steps at a time, with the measured forces of the run."""
    run = two_storeys().run_pseudodynamic()
    scheme = ClassicalLoop.from_test(two_storeys())
    u, r = run.data.displacement.values, -run.data.feedback_force.values
    m, c = np.diag([3.0, 2.0]), np.diag([4.0, 5.0])
    r = r + u * [100.0, 0.0]  # and what the simulated springs restore
    h = 1e-3
    for i in range(1, 20):
        load = np.asarray(scheme.load(i * h))
        right = load - r[i] + 2 * m @ u[i] / h**2 - (m / h**2 - c / (2 * h)) @ u[i - 1]
        # u is some 1e-4 m; the recursion's own rounding is 1e-16 of m / h^2 u
        assert u[i + 1] == pytest.approx(np.linalg.solve(m / h**2 + c / (2 * h), right), rel=1e-8, abs=1e-16)


@pytest.mark.slow
def test_it_is_of_second_order():
    test = two_storeys(rig=dv.Rig(dv.transfer.Series(()), dv.specimens.Spring(k=[2000.0, 1500.0])))
    truth = dataclasses.replace(test, rate=1000.0).reference().data.displacement.values[-1]
    errors = []
    for h in (2e-3, 1e-3):
        settings = dataclasses.replace(SETTINGS, contact_step=h)
        run = dataclasses.replace(test, pseudodynamic=settings).run_pseudodynamic()
        errors.append(np.max(np.abs(run.data.displacement.values[-1] - truth)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


def test_a_substructure_with_internal_states_is_rejected():
    frame = dv.mechanics.Frame(
        mass=[2.0, 2.0], stiffness=[[200.0, -100.0], [-100.0, 100.0]], damping_ratio=0.02, specimen_storey=2
    )
    with pytest.raises(ParameterError, match=r"Frame has 4 states"):
        ClassicalLoop.from_test(
            dv.Test(
                numerical=frame,
                rig=dv.Rig(dv.transfer.Series(()), dv.specimens.Spring(k=1.0)),
                pseudodynamic=SETTINGS,
            )
        )
