"""The creep mode: equal to the direct simulation, and deaf to the robot's delay."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail.core import methods
from dovetail.core.errors import TestFileError
from dovetail.testing.pseudodynamic import PlaneGate
from dovetail.transfer.robot import MotionProfile


def z(run):
    return run.data.displacement.values


def test_a_pseudodynamic_run_equals_direct_simulation(make_creep, run):
    test = make_creep()
    perfect = dataclasses.replace(test, rig=dv.Rig(dv.transfer.Series(()), test.rig.specimen))
    direct = perfect.rehearse()
    assert np.allclose(run.data.time, direct.data.time, rtol=0, atol=1e-12)
    # the specimen's force of a move that has arrived is the same to rounding
    assert np.max(np.abs(z(run) - z(direct))) < 1e-12 * np.max(np.abs(z(direct)))


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.5])
def test_the_robot_delay_does_not_change_the_result(make_creep, run, delay):
    late = make_creep(delay=delay, settling_time=0.6).run_pseudodynamic()
    assert late.outcome is dv.Outcome.FINISHED
    assert np.max(np.abs(z(late) - z(run))) < 1e-12 * np.max(np.abs(z(run)))


def test_every_step_is_a_move_with_its_duration(run):
    assert run.data.attrs["moves"] == 30  # the last row is not followed by a step
    assert run.data.attrs["cell_seconds"] == pytest.approx(30 * 0.12)
    assert float(run.data.cell_time[-2]) == pytest.approx(30 * 0.12)


def test_motion_and_force_of_a_row_belong_to_the_same_pose(run):
    rows = run.data.isel(time=slice(0, -1))
    assert np.allclose(rows.feedback_force, -2250.0 * rows.displacement, rtol=1e-12, atol=1e-15)
    assert np.array_equal(rows.command, rows.displacement)


def test_the_result_converges_to_the_reference_with_first_order(make_creep):
    errors = []
    for step in (1e-3, 0.5e-3):
        creep = make_creep(contact_step=step).run_pseudodynamic()
        ideal = np.interp(creep.data.time, *_ideal(make_creep()))
        errors.append(np.max(np.abs(z(creep) - ideal)))
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.05)  # the held force is of first order


def _ideal(test):
    run = dataclasses.replace(test, rate=8000.0).reference()
    return run.data.time.values, z(run)


def test_small_moves_are_accumulated_with_the_last_force(make_creep, run):
    coarse = make_creep(repeatability=2e-5).run_pseudodynamic()
    moved = np.diff(coarse.data.move_number.values) > 0
    sizes = np.abs(np.diff(coarse.data.command.values[1:]))[moved[1:]]
    assert np.all(sizes[1:] > 2e-5)
    assert coarse.data.attrs["moves"] < run.data.attrs["moves"]
    # the force is late by at most a repeatability: 2250 N/m times 2e-5 m
    error = np.abs(coarse.data.feedback_force + 2250.0 * coarse.data.displacement)[:-1]
    assert float(error.max()) < 1.5 * 2250.0 * 2e-5


def test_free_phases_have_a_separate_step_and_no_force(make_creep):
    # it crosses the plane once on its way up; a step is 1 ms in contact, 0.25 ms when free
    gate = PlaneGate(level=2e-4, side="above")
    test = make_creep(gate=gate, free_step=0.25e-3)
    run = test.run_pseudodynamic()
    free = run.data.displacement.values < 2e-4
    steps = np.diff(run.data.time.values)
    assert np.allclose(steps[free[:-1]], 0.25e-3)
    assert np.allclose(steps[~free[:-1]][:-1], 1e-3)  # the last one ends with the test
    assert not np.any(run.data.feedback_force.values[free])
    assert run.data.attrs["moves"] == np.count_nonzero(~free[:-1])
    assert np.array_equal(run.data.contact_gate.values == 0, free)


def test_free_steps_are_thinned_out_in_the_record_only(make_creep):
    gate = PlaneGate(level=2e-4, side="above")
    fine = make_creep(gate=gate, free_step=0.25e-3).run_pseudodynamic()
    thin = make_creep(gate=gate, free_step=0.25e-3, free_record_every=10).run_pseudodynamic()
    assert thin.data.sizes["time"] < 0.7 * fine.data.sizes["time"]
    assert z(thin)[-1] == z(fine)[-1]


def test_the_delay_of_continuous_motion_is_divided_by_the_time_scale(make_creep, run):
    errors = []
    for scale in (40.0, 80.0):
        test = make_creep(
            delay=0.04, scheme="continuous", motion_profile=MotionProfile(profile="linear"), time_scale=scale
        )
        errors.append(np.max(np.abs(z(test.run_pseudodynamic()) - z(run))))
    # 40 ms of the robot are 1 and 0.5 ms of the test
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.1)
    with pytest.raises(TestFileError, match="continuous scheme"):
        make_creep(scheme="continuous").run_pseudodynamic()


def test_a_test_without_settings_moves_at_every_tick(make_creep, run):
    bare = dataclasses.replace(make_creep(delay=0.0), pseudodynamic=None, duration=3e-3)
    short = bare.run_pseudodynamic()
    assert short.data.attrs["moves"] == 3
    assert np.allclose(z(short), z(run)[:4], rtol=1e-12)


def test_the_result_is_saved_beside_its_journal_and_read_back(make_creep, run, tmp_path):
    test = make_creep()
    done = test.run_pseudodynamic(folder=tmp_path)
    done.save(tmp_path)
    done.save(tmp_path)  # as after resuming
    back = dv.testing.read_run(tmp_path)
    assert back.mode == "pseudodynamic"
    assert np.array_equal(z(back), z(run))
    assert float(back.test.pseudodynamic.contact_step) == 1e-3


class Pair(dv.mechanics.Oscillator):
    """The oscillator with its state as a pair, as the semi-implicit method wants it."""

    def init(self):
        x = super().init()
        return x["z"], x["v"]

    def derivative(self, t, x, u):
        rates = super().derivative(t, {"z": x[0], "v": x[1]}, u)
        return rates["z"], rates["v"]

    def output(self, t, x, u):
        return super().output(t, {"z": x[0], "v": x[1]}, u)


@pytest.mark.parametrize(
    "method",
    [methods.Euler(), pytest.param(methods.SemiImplicitEuler(), marks=pytest.mark.slow), methods.RK4()],
    ids=lambda m: type(m).__name__,
)
def test_any_integrator_can_be_chosen(make_creep, run, method):
    test = dataclasses.replace(make_creep(), method=method, numerical=Pair(m=2.2, c=15.0, k=2250.0))
    found = test.run_pseudodynamic()
    # explicit Euler is the worst: of first order, 30 steps of 1 ms at 45 rad/s
    assert np.max(np.abs(z(found) - z(run))) < 0.08 * np.max(np.abs(z(run)))
    if isinstance(method, methods.RK4):
        assert np.array_equal(z(found), z(run))
    else:
        assert not np.array_equal(z(found), z(run))


def test_a_scaled_specimen_equals_a_stiffer_one(make_creep, run):
    """Lengths a fifth, forces 300 times: the simulation sees 60 times the stiffness [Bolien 2018, sec. 4.2-IV]."""
    test = make_creep(length_scale=5.0, force_scale=300.0)
    small = dv.Rig(test.rig.actuator, dv.specimens.Spring(k=2250.0 / 60))
    scaled = dataclasses.replace(test, rig=small).run_pseudodynamic()
    assert np.max(np.abs(z(scaled) - z(run))) < 1e-12 * np.max(np.abs(z(run)))
    rows = scaled.data.isel(time=slice(0, -1))  # the last one is not followed by a move
    assert np.allclose(rows.command, rows.displacement / 5.0, rtol=1e-12, atol=1e-18)
    assert np.allclose(scaled.data.feedback_force, 300.0 * scaled.data.measured_force, rtol=1e-12)
