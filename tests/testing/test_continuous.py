"""Steps of a test in continuous time: fine enough for its lags and contacts, and judged like any other run."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail.core import RK4
from dovetail.core.errors import AnalysisError
from dovetail.mechanics.contact import Flores, FreePair, Hertz
from dovetail.specimens import ImpactPair, Spring
from dovetail.testing import Outcome, Reference, ReferenceSettings, simulate
from dovetail.transfer import FirstOrderLag, SecondOrderLag, Series


def impact(actuator, **fields):
    """30 kg meet 75 kg at 0.1 m/s after a millimetre."""
    fields = {"rate": 1e5, "duration": 0.03, "sampling": "none", **fields}
    rig = dv.Rig(actuator, ImpactPair(Flores(9.0795e8, restitution=0.8), 1e-3))
    return dv.Test(FreePair(30.0, 75.0, 0.1), rig, **fields)


@pytest.mark.slow
def test_a_lag_far_faster_than_the_ticks_is_followed(make_cs1):
    """tau = 5 us at 1 kHz: two hundred time constants in a tick, and the force it delays is all but prompt."""
    rig = dv.Rig(FirstOrderLag(5e-6), Spring(k=500.0))
    test = dataclasses.replace(make_cs1(duration=0.3), rig=rig, sampling="none")
    late, ideal = test.rehearse().data, test.reference().data
    assert (
        0
        < float(abs(late.displacement - ideal.displacement).max())
        < 1e-4 * float(abs(ideal.displacement).max())
    )


def test_a_contact_that_gains_energy_stops_the_run_with_its_reason():
    run = impact(SecondOrderLag(4000.0, 0.7)).rehearse()
    assert run.outcome is Outcome.CONTACT_ENERGY
    assert float(run.data.contact_energy_gain[-1]) > 0.01
    free = impact(SecondOrderLag(4000.0, 0.7), limits=dv.Limits(contact_energy_gain=np.inf)).rehearse()
    energy = free.data.kinetic_energy
    gained = float(energy[-1] / energy[0] - 1)
    assert gained == pytest.approx(float(free.data.contact_energy_gain[-1]), rel=1e-3)
    prompt = impact(Series(())).rehearse()
    assert prompt.outcome is Outcome.FINISHED
    assert float(prompt.data.contact_energy_gain.max()) < 1e-6


def test_contacts_are_resolved_with_any_settings_and_in_a_batch():
    """A stiff contact of 0.09 ms, with steps of 1 ms that do not know of it."""
    bodies = FreePair(m1=50.0, m2=50.0, speed=0.05)
    test = dv.Test(
        bodies, dv.Rig(Series(()), ImpactPair(Hertz(stiffness=1e11), 1e-3)), rate=1e3, duration=0.05
    )
    run = test.reference()
    assert float(run.data.velocity[-1]) == pytest.approx(-0.05, rel=1e-8)
    assert run.data.solver_steps.dims == ("time", "counted")
    coarse = test.reference(ReferenceSettings(RK4(), 1))
    np.testing.assert_array_equal(coarse.data.displacement, run.data.displacement)
    _, batch = simulate(test.validate(), Reference())
    np.testing.assert_allclose(batch["displacement"], run.data.displacement[1:], atol=1e-12)


def test_a_limit_ends_continuous_run_and_reference_alike(make_cs1):
    limits = dv.Limits(displacement=2e-3)
    rig = dv.Rig(Series(()), Spring(k=2250.0))
    test = dataclasses.replace(make_cs1(), rig=rig, limits=limits, sampling="none")
    run, ideal = test.rehearse(), test.reference()
    assert run.outcome is Outcome.DISPLACEMENT
    assert str(run.trip) == str(ideal.trip)
    assert run.data.sizes == ideal.data.sizes


def test_a_batch_of_a_continuous_rehearsal_is_rejected():
    with pytest.raises(AnalysisError, match="continuous time.*, but a batch is sampled"):
        dv.simulate(impact(Series(())).prepare())


def test_a_file_and_the_command_line_choose_it(tmp_path):
    from dovetail import testing
    from dovetail.studies.registry import find_test

    test = testing.load(find_test("docking/hil-1dof"), {"sampling": "none", "duration": "1 ms"})
    assert test.sampling == "none"
    assert testing.dump(test)["sampling"] == "none"
    data = test.rehearse().data
    # 0.35 ms behind at 0.1 m/s from the first sample on
    np.testing.assert_allclose(data.displacement - data.achieved_displacement, 35e-6, rtol=1e-9)
