"""Rows of a ring become the records of a run, whatever the disk does."""

import threading
import time

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.links.ring import Ring
from dovetail.links.ring_recorder import RING_SIZE, RingRecorder, ring_rows
from dovetail.testing import begin_run
from dovetail.testing.recorder import Records

SIGNALS = {"displacement": (), "measured_force": ()}


def show(ring, numbers):
    for k in numbers:
        ring.show(np.array([k, -k], dtype=float))


def test_a_ring_is_bounded_only_if_its_rows_are_stored():
    assert ring_rows(36_000_000, 20, is_stored=False) == 36_000_000
    assert ring_rows(36_000_000, 20, is_stored=True) * 20 * 8 <= RING_SIZE
    assert ring_rows(1000, 20, is_stored=True) == 1000


@pytest.mark.parametrize("is_stored", [True, False])
def test_all_rows_of_a_run_are_recorded_in_order(make_cs1, tmp_path, is_stored):
    test = make_cs1(duration=1.0)
    ring = Ring(SIGNALS, 300 if is_stored else 1000, test.dt)
    store = begin_run(test, "realtime", tmp_path / "run", sync=True) if is_stored else None
    records = Records(store=store)
    with RingRecorder(ring, records, print) as recorder:
        for k in range(0, 1000, 100):
            show(ring, range(k, k + 100))
            end = time.monotonic() + 60
            while is_stored and recorder._taken < k and time.monotonic() < end:
                time.sleep(0.01)
    records.replace_first({"displacement": -7.0}, SIGNALS)
    rows = store.recording(()) if is_stored else None
    displacement = rows["displacement"].values if is_stored else records.to_arrays()["displacement"]
    np.testing.assert_array_equal(displacement, [-7.0, *range(1000)])
    assert recorder.remark() == ""


def test_rows_that_a_slow_disk_did_not_take_are_nan_and_counted(make_cs1):
    ring = Ring(SIGNALS, 300, 1e-3)
    with RingRecorder(ring, Records(), print) as recorder:
        show(ring, range(1000))
    values = recorder.records.to_arrays()["displacement"][1:]
    assert np.all(np.isnan(values[:700]))
    np.testing.assert_array_equal(values[700:], range(700, 1000))
    assert recorder.lost == 700
    assert "700 samples were not recorded" in recorder.remark()


def test_the_loop_does_not_wait_for_a_disk_that_hangs(make_cs1):
    hangs, ring = threading.Event(), Ring(SIGNALS, 1000, 1e-3)

    class Disk:
        error = None

        def append(self, rows):
            return not hangs.wait(60)

    with RingRecorder(ring, Records(store=Disk()), print):
        show(ring, range(10))
        time.sleep(0.1)  # the thread is in its first append
        show(ring, range(10, 500))
        assert ring.row_count == 500
        hangs.set()


def test_a_run_whose_records_cannot_be_kept_is_stopped(make_cs1):
    class Full:
        error = OSError()

        def append(self, rows):
            raise OutputError("the disk is full")

    ring, stopped = Ring(SIGNALS, 100, 1e-3), []
    with RingRecorder(ring, Records(store=Full()), stopped.append) as recorder:
        show(ring, range(50))
    assert stopped == ["the disk is full"]
    assert "ends before the run: the disk is full" in recorder.remark()
