"""The benchmark of real-time hybrid simulation: its assembly, and what our compensators reach on it."""

import dataclasses

import numpy as np
import pytest
import scipy.signal

from dovetail import testing
from dovetail.assess import growth_rates, stack_tests
from dovetail.compensation import NoCompensation
from dovetail.core import RK4
from dovetail.fidelity import rths_criteria
from dovetail.studies.registry import find_test
from dovetail.studies.substructuring import rths
from dovetail.studies.substructuring.rths_compensators import BEST, COMPENSATORS

SHORT = {"duration": 0.25}  # [s] where only the mechanism is of interest


def uncompensated(case: int, **values) -> testing.Test:
    return dataclasses.replace(rths.benchmark(case, **values), compensator=NoCompensation())


@pytest.mark.parametrize("case", [2, 3, 4])
def test_the_files_of_the_cases_are_case_one_with_their_masses_and_damping(case):
    file = testing.dump(testing.load(find_test(f"substructuring/rths-benchmark-case-{case}")))
    built = testing.dump(rths.benchmark(case))
    assert file.pop("title") != built.pop("title")
    assert file == built


def test_the_reference_has_the_frequencies_of_the_published_frame():
    frequency, _ = rths.benchmark(1).numerical.modes()
    np.testing.assert_allclose(np.asarray(frequency) / (2 * np.pi), [3.612, 15.997, 38.086], rtol=2e-4)


def test_the_reference_is_the_undivided_frame():
    """Divided and joined again by the specimen's force, against the whole frame through scipy."""
    test = rths.benchmark(4, duration=3.0)
    run = test.reference(testing.ReferenceSettings(RK4(), 1))
    frame = test.numerical
    M, K, C = np.diag(np.asarray(frame.mass)), np.asarray(frame.stiffness), np.asarray(frame.damping())
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ K, -inverse @ C]])
    system = (A, np.r_[np.zeros(3), -np.ones(3)][:, None], np.eye(3, 6), np.zeros((3, 1)))
    # the record is straight between samples of 5 ms, so scipy's first-order hold follows it at every tick
    _, judge, _ = scipy.signal.lsim(system, run.data["excitation"].values, run.data["time"].values)
    got = run.data["storey_displacement"].values
    np.testing.assert_allclose(got, judge, atol=1e-5 * np.abs(judge).max())
    assert run.data["excitation"].attrs["units"] == "m/s^2"


def test_a_perturbed_plant_does_not_change_the_reference():
    nominal = rths.benchmark(1, **SHORT)
    other = rths.with_plant(nominal, {"stiffness": 1.3e6, "leakage": 5.0, "valve_stiffness": 1.1e5})
    assert float(rths.plant_of(other).stiffness) == float(other.rig.specimen.stiffness) == 1.3e6
    assert float(other.numerical.specimen_damping) == pytest.approx(float(other.rig.specimen.damping))
    assert float(rths.plant_of(other).leakage) == 5.0
    a, b = (rths._ideal(t) for t in (nominal, other))
    np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(a).max())


def test_plants_are_seeded_and_have_the_published_spread():
    assert rths.plants(3)[1:] == rths.plants(3)[1:]
    assert rths.plants(3)[0] == {}
    many = rths.plants(400)[1:]
    for name, deviation in rths.DEVIATION.items():
        values = [plant[name] for plant in many]
        assert np.std(values) == pytest.approx(deviation, rel=0.1)  # 3.5 % standard error
    assert min(plant["leakage"] for plant in many) >= 0


@pytest.mark.slow
def test_a_batch_equals_single_runs():
    tests = [uncompensated(case, **SHORT) for case in (1, 3)]
    batch = rths._simulated(stack_tests([test.prepare() for test in tests]))
    for i, test in enumerate(tests):
        one = test.rehearse().data["measured_displacement"].values[1:]
        np.testing.assert_allclose(batch["measured_displacement"][i], one, atol=1e-12)


@pytest.mark.slow
def test_batched_poles_are_those_of_the_test():
    tests = [uncompensated(case, **SHORT) for case in (1, 4)]
    single = [test.stability().growth_rate for test in tests]
    np.testing.assert_allclose(growth_rates(tests), single, rtol=1e-6)
    assert min(single) > 0.3  # without compensation the loop is unstable: 25 ms against 15 and 9


@pytest.mark.slow
def test_the_best_compensator_meets_its_target_in_a_short_run():
    """Case 4, the least damped, nominal and on one perturbed plant: J2 and J4 within 3 %, stable."""
    data = rths.table([BEST], cases=(4,), perturbed_count=1, duration=6.0)
    assert bool(data["stable"].all())
    assert float(data["criteria"].sel(criterion=["J2", "J4"]).max()) <= 3.0
    text = rths.summary(data)
    assert f"{BEST} " in text
    assert "2/2" in text


def test_a_lost_run_is_called_lost():
    one = {"storey_displacement": np.ones((4, 3)), "measured_displacement": np.ones(4)}
    assert not rths._lost(one, np.full((4, 3), 0.6))
    assert rths._lost(one, np.full((4, 3), 0.4))
    assert rths._lost({**one, "measured_displacement": np.full(4, np.nan)}, np.ones((4, 3)))
    assert rths._number(np.nan) == "lost"


@pytest.mark.slow
def test_every_compensator_has_its_row_and_the_best_holds_on_every_plant():
    """The whole table: four cases, nominal and twenty perturbed plants, every compensator."""
    data = rths.table()
    assert list(data["compensator"].values) == list(COMPENSATORS)
    best = data.sel(compensator=BEST)
    assert bool(best["stable"].all())
    assert float(best["criteria"].sel(criterion=["J2", "J4"]).max()) <= 3.0
    fixed = data.sel(compensator="inverse model, prediction")
    assert bool(fixed["stable"].all())
    assert float(fixed["criteria"].isel(plant=0).sel(criterion=["J2", "J4"]).max()) <= 3.0
    assert not bool(data.sel(compensator="none")["stable"].any())


@pytest.mark.slow
def test_the_sweep_is_followed_as_well():
    test = testing.load(find_test("substructuring/rths-benchmark-chirp"))
    found = rths_criteria(test.rehearse(), test.reference())
    assert found["J2"] <= 3.0
    assert found["J4"] <= 3.0


def test_roughness_is_the_rms_above_a_hundred_hertz():
    t = np.arange(8192) / 4096
    slow, fast = np.sin(2 * np.pi * 3.7 * t), np.sin(2 * np.pi * 500.0 * t)
    # the window is zero at the ends, so it sees half of a steady tone's power, evenly
    assert rths._roughness(slow + 0.01 * fast, 1 / 4096) == pytest.approx(0.01 / np.sqrt(2), rel=1e-3)
    assert rths._roughness(slow, 1 / 4096) < 1e-5
