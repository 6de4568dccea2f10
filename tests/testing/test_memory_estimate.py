"""Room for a record: estimated from shapes alone, and refused with the number."""

import dataclasses
import re
import tracemalloc

import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing.memory_estimate import (
    COPIES,
    MAX_CHUNK,
    _row,
    _size,
    chunk_length,
    format_size,
    require_memory,
)
from dovetail.testing.modes import all_modes


def mode_of(test):
    """The usual mode of a test."""
    return all_modes()[test.default_mode]()


def recorded(run):
    """What a run keeps of a tick [B], counted in its recording."""
    values = [v for v in run.data.variables.values() if v.dims and v.dims[0] == "time" and v.dtype == float]
    return sum(v.dtype.itemsize * int(np.prod(v.shape[1:])) for v in values)


def test_estimated_memory_per_tick_equals_that_of_a_run(make_cs1):
    test = make_cs1(duration=0.01)
    run = test.rehearse()
    # the recording holds time besides, and integers that are counted with it
    assert _size(_row(test, mode_of(test))) == pytest.approx(recorded(run), abs=24)


@pytest.mark.parametrize("mode", ["rehearse", "reference"])
def test_a_run_that_exceeds_the_memory_is_rejected_with_its_size(make_cs1, mode):
    test = dataclasses.replace(make_cs1(), rate=1e9, duration=1e6)
    tracemalloc.start()
    try:
        with pytest.raises(
            TestFileError, match=r"are 1e\+15 ticks: recording them needs more than 1.6e\+04 TB of"
        ):
            getattr(test, mode)()
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_the_limit_is_at_a_record_of_the_available_memory(make_cs1):
    test = make_cs1(duration=2.0)
    size = COPIES * test.tick_count * _size(_row(test, mode_of(test)))
    require_memory(test, mode_of(test), available=1.001 * size)
    with pytest.raises(TestFileError, match="lower the rate or shorten the test"):
        require_memory(test, mode_of(test), available=0.999 * size)
    require_memory(test, mode_of(test), available=float("inf"))


@pytest.mark.parametrize("share", [0.7, 0.05, 1e-3])
def test_a_refusal_offers_how_many_ticks_may_be_recorded_and_that_fits(make_cs1, share):
    test = dataclasses.replace(make_cs1(duration=7.0), rate=1e6)  # 7,000,000 ticks
    each = _size(_row(test, mode_of(test)))
    available = share * COPIES * test.tick_count * each + MAX_CHUNK * each
    with pytest.raises(TestFileError) as refused:
        require_memory(test, mode_of(test), available=available)
    found = re.search(
        r"record_every = (\d+) records every \1th tick and fits; or lower the rate", str(refused.value)
    )
    every = int(found[1])
    assert 1 / share <= every <= 5 / share
    require_memory(dataclasses.replace(test, record_every=every), mode_of(test), available=available)
    with pytest.raises(TestFileError, match="of 7e\\+06 ticks|every"):
        require_memory(
            dataclasses.replace(test, record_every=max(every // 10, 1)), mode_of(test), available=available
        )


def test_for_very_long_runs_thinned_recording_is_not_proposed(make_cs1):
    test = dataclasses.replace(make_cs1(duration=1000.0), rate=1e9)
    with pytest.raises(TestFileError, match="11.6 days .*recording fewer ticks does not make"):
        require_memory(test, mode_of(test), available=1e10)


def test_a_simulation_that_exceeds_the_memory_is_rejected():
    test = testing.load(find_test("capture/swing"), {"duration": "1000 s"})
    size = COPIES * test.tick_count * _size(_row(test, mode_of(test)))
    require_memory(test, mode_of(test), available=1.001 * size)
    with pytest.raises(TestFileError, match=r"record_every = \d+ records every") as no:
        require_memory(test, mode_of(test), available=0.999 * size)
    every = int(re.search(r"record_every = (\d+)", str(no.value))[1])
    require_memory(dataclasses.replace(test, record_every=every), mode_of(test), available=0.999 * size)


def test_sizes_are_formatted_with_prefixes():
    assert [format_size(size) for size in (8, 12_300, 2.5e9, 1.6e16)] == [
        "8 B",
        "12.3 kB",
        "2.5 GB",
        "1.6e+04 TB",
    ]


def test_a_loop_too_large_for_matrices_has_a_remark_instead_of_stability(make_cs1):
    test = dataclasses.replace(make_cs1(), rate=1e8, duration=0.01)
    said = str(test.stability(quick=True))
    assert re.search(r"states at 1e\+08 Hz, one for each tick of its delays; .* lower the rate", said)
    assert "nan" not in said


def test_the_piece_that_is_counted_is_the_longest_there_is():
    assert chunk_length(10**12, 1000, 40) == MAX_CHUNK


@pytest.mark.parametrize("total", np.random.default_rng(2026).integers(1, 10**7, 20).tolist())
def test_chunks_are_few_in_number_and_in_kind(total):
    length = chunk_length(total, 1000, 40)
    assert length == total < 1000 or (length / 1000) in {2**i for i in range(20)}
    assert length == 64_000 or -(-total // length) <= 40
    assert -(-total // length) * length <= max(1.06 * total, total + 1000)
