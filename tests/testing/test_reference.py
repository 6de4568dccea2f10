"""The reference solution, against closed forms and SciPy."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.core import RK4, Parameter, parameter
from dovetail.core.errors import AnalysisError
from dovetail.specimens import Specimen
from dovetail.specimens.base import Memoryless
from dovetail.testing import RecordedRig, Reference, ReferenceSettings, simulate


def test_the_steady_state_has_the_published_amplitude_and_phase(make_cs1):
    """Emulated CS1 at 3 Hz, c = 15: amplitude ratio 0.6081, phase +2.81 degrees."""
    data = make_cs1(duration=20.0).reference().data.sel(time=slice(15.0, 20.0))
    t, w = data.time.values, 2 * np.pi * 3.0
    basis = np.stack([np.sin(w * t), np.cos(w * t)], axis=1)
    a, b = np.linalg.lstsq(basis, data.displacement.values, rcond=None)[0]
    assert np.hypot(a, b) / 0.012 == pytest.approx(0.6081, abs=5e-5)
    assert np.degrees(np.arctan2(b, a)) == pytest.approx(2.81, abs=0.005)


def test_the_reference_agrees_with_scipy(make_cs1):
    run = make_cs1(duration=2.0).reference()

    def equation(t, y):
        r, rate = 0.012 * np.sin(6 * np.pi * t), 0.012 * 6 * np.pi * np.cos(6 * np.pi * t)
        return [y[1], (-2250 * y[0] - 15 * (y[1] - rate) - 2250 * (y[0] - r)) / 2.2]

    judge = solve_ivp(equation, (0, 2), [0, 0], method="DOP853", rtol=1e-12, atol=1e-15, t_eval=run.data.time)
    np.testing.assert_allclose(run.data.displacement, judge.y[0], atol=1e-12)


def test_reference_and_hybrid_run_can_use_one_integrator(make_cs1):
    coarse = make_cs1().reference(ReferenceSettings(method=RK4(), substeps=1))
    fine = make_cs1().reference()
    assert 0 < float(abs(coarse.data.displacement - fine.data.displacement).max()) < 1e-9


class Inertia(Memoryless):
    """A mass that is moved: its force needs the acceleration, which needs the force."""

    inertial = True
    m: Parameter = parameter("kg", "mass")

    def output(self, t, x, u):
        return {"force": -self.m * u["acceleration"]}


def test_a_mass_in_the_specimen_is_a_heavier_mass(make_cs1):
    """Splitting 2.2 kg into 1.5 numerical and 0.7 physical changes nothing."""
    whole = make_cs1()
    whole = dataclasses.replace(whole, rig=dv.Rig(whole.rig.actuator, dv.specimens.Spring(k=0.0)))
    split = dataclasses.replace(
        whole,
        numerical=dv.mechanics.Oscillator(m=1.5, c=15.0, k=2250.0),
        rig=dv.Rig(whole.rig.actuator, Inertia(m=0.7)),
    )
    np.testing.assert_allclose(
        split.reference().data.displacement, whole.reference().data.displacement, atol=1e-13
    )


class Follower(Specimen):
    """A first-order element: its force lags behind the displacement."""

    tau: Parameter = parameter("s", "time constant")
    k: Parameter = parameter("N/m", "stiffness")

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return (u["displacement"] - x) / self.tau

    def output(self, t, x, u):
        return {"force": -self.k * x}


def test_a_specimen_with_memory_is_integrated_with_the_rest(make_cs1):
    test = make_cs1(duration=1.0)
    test = dataclasses.replace(test, rig=dv.Rig(test.rig.actuator, Follower(tau=0.05, k=2250.0)))
    run = test.reference()

    def equation(t, y):
        r, rate = 0.012 * np.sin(6 * np.pi * t), 0.012 * 6 * np.pi * np.cos(6 * np.pi * t)
        return [y[1], (-2250 * y[2] - 15 * (y[1] - rate) - 2250 * (y[0] - r)) / 2.2, (y[0] - y[2]) / 0.05]

    judge = solve_ivp(equation, (0, 1), [0, 0, 0], rtol=1e-11, atol=1e-14, t_eval=run.data.time)
    np.testing.assert_allclose(run.data.displacement, judge.y[0], atol=1e-11)


def test_a_reference_needs_a_model_of_the_specimen(make_cs1):
    readings = {name: jnp.zeros(3) for name in ("measured_displacement", "measured_force")}
    test = dataclasses.replace(make_cs1(), rig=RecordedRig(readings))
    with pytest.raises(AnalysisError, match="without a specimen model"):
        test.reference()


def test_the_reference_follows_the_schedule_from_model_to_measured_force(make_cs1):
    """A softer model at first, led to the specimen's spring in half a second, against scipy."""
    ramp = dv.testing.schedule.Ramp(start=0.5, end=1.0, initial=0.0, final=1.0)
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=1000.0), measured_fraction=0.0)
    plan = dataclasses.replace(
        make_cs1(duration=2.0), feedback=blended, schedule={"feedback.measured_fraction": ramp}
    )
    run = plan.reference(ReferenceSettings(substeps=4))

    def equation(t, y):
        r, rate = 0.012 * np.sin(6 * np.pi * t), 0.012 * 6 * np.pi * np.cos(6 * np.pi * t)
        k = 1000.0 + 1250.0 * np.clip((t - 0.5) / 0.5, 0.0, 1.0)
        return [y[1], (-k * y[0] - 15 * (y[1] - rate) - 2250 * (y[0] - r)) / 2.2]

    tight = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-15, "max_step": 1e-3}
    judge = solve_ivp(equation, (0, 2), [0, 0], t_eval=run.data.time, **tight)
    np.testing.assert_allclose(run.data.displacement, judge.y[0], atol=1e-11)
    np.testing.assert_allclose(run.data.specimen_force, -2250 * run.data.displacement, atol=1e-12)


def test_a_constant_model_fraction_is_not_part_of_the_reference(make_cs1):
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=1000.0), measured_fraction=0.5)
    plan = dataclasses.replace(make_cs1(), feedback=blended)
    np.testing.assert_array_equal(
        plan.reference().data.displacement.values, make_cs1().reference().data.displacement.values
    )


def test_the_reference_is_bitwise_equal_in_chunks(make_cs1):
    test = make_cs1(duration=3.2)
    mode = Reference(ReferenceSettings())
    prepared = mode.prepare(test)
    _, whole = eqx.filter_jit(simulate)(prepared, mode)
    said = []
    run = test.reference(progress=lambda share, text: said.append(share))
    assert len(said) == 4
    assert said[-1] == 1.0
    for name in ("displacement", "velocity", "feedback_force", "growth_rate"):
        np.testing.assert_array_equal(run.data[name][1:], whole[name])
