"""Which ticks are recorded: what is recorded is a part of the whole, and what matters of the rest is kept."""

import dataclasses
import tracemalloc

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome
from dovetail.testing.recorder import Records, faults, fitting_interval, largest_of
from dovetail.testing.remarks import remarks

random = np.random.default_rng(20)
UNSTABLE = 9e-3  # [s] beyond the critical delay of CS1


def signals(run):
    return [str(name) for name in run.data]


@pytest.mark.parametrize(
    ("mode", "every"),
    [("rehearse", 7), ("rehearse", 1500), ("reference", 7), ("reference", 1500), ("continuous", 7)],
)
def test_a_thinned_recording_has_exact_samples_and_all_peaks(make_cs1, mode, every):
    test = make_cs1(duration=10.5)  # of several pieces, whose ends are not those of records
    if mode == "continuous":
        lag = dv.Rig(dv.transfer.FirstOrderLag(2e-3), test.rig.specimen)
        mode, test = "rehearse", dataclasses.replace(test, rig=lag, sampling="none")
    whole = getattr(test, mode)().data
    run = getattr(dataclasses.replace(test, record_every=every), mode)()
    assert run.outcome is Outcome.FINISHED
    assert run.data.sizes["time"] == 10500 // every + 1
    np.testing.assert_allclose(run.data.time, whole.time[::every], rtol=1e-15)
    for name in signals(run):
        np.testing.assert_array_equal(run.data[name], whole[name][::every])
        assert largest_of(run.data, [name]) == float(abs(whole[name]).max())
    lost = float(abs(run.data.displacement).max()) < largest_of(run.data, ["displacement"])
    assert lost  # else there was no peak to lose
    if mode == "rehearse":
        strayed = float(abs(whole.displacement - whole.measured_displacement).max())
        assert largest_of(run.data, ["tracking_error"]) == strayed


@pytest.mark.parametrize("mode", ["rehearse", pytest.param("reference", marks=pytest.mark.slow)])
def test_memory_decreases_with_a_thinned_recording(make_cs1, mode):
    test = make_cs1(duration=400.0)  # 400,000 ticks
    getattr(test, mode)()  # compiled

    def most(test):
        tracemalloc.start()
        try:
            size = getattr(test, mode)().data.nbytes
            return size, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    (all_of_it, whole), (some, thin) = most(test), most(dataclasses.replace(test, record_every=100))
    assert some < all_of_it / 95
    assert thin < whole / 8  # what is left is mostly that of the piece at hand


LIMITS = {
    "displacement": 0.03,
    "velocity": 0.8,
    "force": 60.0,
    "tracking_error": 6e-3,
    "interface_energy": 1.0,
    "power": 20.0,
    "growth_rate": 0.05,
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_trips_at_the_same_tick_and_value_for_any_recording(make_cs1, name):
    test = make_cs1(delay=UNSTABLE, duration=20.0, limits=dv.Limits(**{name: LIMITS[name]}))
    whole, thin = test.rehearse(), dataclasses.replace(test, record_every=16).rehearse()
    assert not whole.outcome.completed
    assert thin.outcome is whole.outcome
    assert thin.trip == whole.trip
    assert thin.trip.value > thin.trip.limit
    assert thin.trip.time == pytest.approx(float(whole.data.time[-1]))
    assert 0 <= thin.trip.time - float(thin.data.time[-1]) < 16 * test.dt


def test_a_frozen_sensor_trips_at_the_same_tick(make_cs1):
    stuck = dv.Rig(dv.transfer.Delay(0.05), dv.specimens.Spring(k=0.0))
    held = dataclasses.replace(make_cs1(limits=dv.Limits(frozen_sensor=20.0)), rig=stuck)
    whole = held.rehearse()
    thin = dataclasses.replace(held, record_every=16).rehearse()
    assert whole.outcome is Outcome.FROZEN_SENSOR
    assert whole.trip.value == 21.0
    assert (thin.outcome, thin.trip) == (whole.outcome, whole.trip)


def test_an_interrupt_keeps_complete_records(make_cs1):
    def stop(share, text):
        if share >= 0.4:
            raise KeyboardInterrupt

    for mode in ("rehearse", "reference"):
        test = make_cs1(duration=10.0, record_every=16)
        run = getattr(test, mode)(progress=stop, keep=True)
        whole = getattr(test, mode)()
        assert run.outcome is Outcome.INTERRUPTED
        assert 0.3 < float(run.data.time[-1]) / 10.0 < 0.6
        np.testing.assert_array_equal(
            run.data.feedback_force, whole.data.feedback_force[: run.data.sizes["time"]]
        )
        with pytest.raises(KeyboardInterrupt):  # half a reference is none
            getattr(test, mode)(progress=stop, keep=False)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (7, "2000 ticks are not a multiple of 7; .*for example 5 or 8"),
        (3000, "not a multiple of 3000"),
        (0, "record_every"),
        (-3, "record_every"),
        (2.5, "record_every"),
        ("ten", "record_every"),
        ([1, 2], "record_every"),
        (10**400, "record_every"),
    ],
)
def test_an_invalid_record_interval_is_rejected(make_cs1, value, said):
    table = {**dv.testing.dump(make_cs1()), "record_every": value}
    with pytest.raises(TestFileError, match=said):
        dv.testing.parse(table, "a test").prepare()


def test_the_record_interval_is_printed_and_saved(make_cs1):
    test = make_cs1(record_every=50)
    table = dv.testing.dump(test)
    assert table["record_every"] == 50
    assert any(
        "1 of 50 ticks is recorded, 40 records every 0.05 s of 2000 ticks" in s for s in remarks(test, table)
    )


def test_pseudodynamic_and_replay_modes_state_their_recording_needs(make_cs1):
    test = make_cs1(duration=0.2, record_every=10)
    with pytest.raises(TestFileError, match=r"record_every +a pseudo-dynamic test records all steps"):
        test.run_pseudodynamic()
    with pytest.raises(ParameterError, match="record_every = 1"):
        test.replay(test.rehearse())


def test_a_full_recording_can_be_replayed_with_thinned_output(make_cs1):
    test = make_cs1(duration=0.5)
    whole = test.rehearse()
    thin = dataclasses.replace(test, record_every=20).replay(whole)
    np.testing.assert_allclose(thin.data.feedback_force, whole.data.feedback_force[::20], atol=1e-12)


@pytest.mark.slow
def test_the_reference_resolves_contacts_between_records():
    """An impact of some milliseconds between two records."""
    test = dv.load(find_test("docking/impact-1dof"), {"rate": "1 kHz", "duration": "0.12 s"})
    whole, thin = test.reference(), dataclasses.replace(test, record_every=40).reference()
    assert float(whole.data.contact_time[-1]) > 0
    assert thin.data.sizes["time"] == 4
    for name in signals(thin):
        np.testing.assert_array_equal(thin.data[name], whole.data[name][::40])


@pytest.mark.parametrize("ticks", random.integers(2, 10**6, 20).tolist())
def test_numbers_that_are_offered_divide_the_test(ticks):
    wanted = float(random.uniform(1, ticks))
    found = fitting_interval(ticks, wanted)
    assert found is not None
    assert found >= wanted
    assert ticks % found == 0
    assert not faults(ticks, found)


@pytest.mark.parametrize("seed", range(5))
def test_chunks_of_any_length_give_equal_records(seed):
    random = np.random.default_rng(seed)
    first, values, every = np.ones(3), random.normal(size=(1000, 3)), int(random.integers(2, 90))
    records = Records(every)
    records.start({"force": first})
    while records.tick < 1000:
        count = min(int(random.integers(1, 200)), 1000 - records.tick)
        records.add({"force": values[records.tick : records.tick + count + 3]}, count)
    np.testing.assert_array_equal(records.to_arrays()["force"], [first, *values[every - 1 :: every]])
    np.testing.assert_array_equal(records.largest["force"], abs(values).max(axis=0))
    assert records.largest_vector["force"] == np.linalg.norm(values, axis=1).max()
    np.testing.assert_array_equal(records.last["force"], values[-1])
    assert all(chunk["force"].base is None for chunk in records.chunks)  # none keeps what it was taken from
