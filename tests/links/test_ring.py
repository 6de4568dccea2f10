"""The window on a loop: a reader gets whole rows, the newest ones, and cannot be seen by the writer."""

import threading

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links.native import available
from dovetail.links.ring import Ring, RingReader

SIGNALS = {"displacement": (), "force": (2,)}


def shown(ring, numbers):
    for n in numbers:
        ring.show(np.array([n, 10.0 * n, 100.0 * n]))


def test_the_newest_rows_are_read_by_their_signals(tmp_path):
    ring = Ring(SIGNALS, rows=5, dt=0.1, file=tmp_path / "w")
    with RingReader(tmp_path / "w") as window:
        assert window.latest(3)["time"].size == 0
        shown(ring, range(1, 4))
        got = window.latest(2)
        assert got["time"].tolist() == pytest.approx([0.2, 0.3])
        assert got["displacement"].tolist() == [2.0, 3.0]
        assert got["force"].tolist() == [[20.0, 200.0], [30.0, 300.0]]
        shown(ring, range(4, 9))
        assert window.latest(100)["displacement"].tolist() == [4.0, 5.0, 6.0, 7.0, 8.0]
        assert window.newest == 8


def test_of_many_rows_every_so_manieth_and_the_newest_are_read(tmp_path):
    ring = Ring(SIGNALS, rows=20, dt=1.0, file=tmp_path / "w")
    window = RingReader(tmp_path / "w")
    shown(ring, range(1, 4))
    assert window.latest(100, every=5)["displacement"].tolist() == [3.0]
    shown(ring, range(4, 13))
    assert window.latest(100, every=5)["displacement"].tolist() == [5.0, 10.0, 12.0]
    assert window.latest(4, every=5)["time"].tolist() == [10.0, 12.0]


def test_a_reader_never_gets_half_a_row_nor_an_old_one_for_a_new_one(tmp_path):
    """A writer as fast as it can, in a ring so small that it laps the reader."""
    ring, done = Ring({"a": (64,)}, rows=4, dt=1.0, file=tmp_path / "w"), threading.Event()

    def write():
        n = 0
        while not done.is_set():
            n += 1
            ring.show(np.full(64, float(n)))

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    window, seen = RingReader(tmp_path / "w"), 0
    while seen < 2000:
        got = window.latest(3)
        np.testing.assert_array_equal(got["a"], np.repeat(got["time"][:, None], 64, axis=1))
        seen += 1
    done.set()
    thread.join(10)


def test_a_ring_with_a_row_for_every_tick_is_the_recording():
    ring = Ring(SIGNALS, rows=3, dt=0.1)
    shown(ring, range(1, 4))
    assert ring.columns(2)["force"].tolist() == [[10.0, 100.0], [20.0, 200.0]]


@pytest.mark.skipif(bool(available()), reason="no C++ compiler")
def test_the_native_writer_writes_the_same(tmp_path):
    from dovetail.links.native import library

    ring = Ring(SIGNALS, rows=2, dt=0.1, file=tmp_path / "w")
    call = library().dovetail_show
    import ctypes

    call.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)]
    for n in (1.0, 2.0, 3.0):
        call(ring.handle, (ctypes.c_double * 3)(n, 10 * n, 100 * n))
    assert RingReader(tmp_path / "w").latest(2)["displacement"].tolist() == [2.0, 3.0]
    assert ring.row_count == 3


def test_an_invalid_ring_is_reported(tmp_path):
    with pytest.raises(LinkError, match="cannot be read as the window"):
        RingReader(tmp_path / "nothing")
    (tmp_path / "text").write_text("hello " * 20)
    with pytest.raises(LinkError, match="is not the window of a loop"):
        RingReader(tmp_path / "text")
    with pytest.raises(LinkError, match="cannot be created"):
        Ring(SIGNALS, 3, 0.1, tmp_path / "no" / "folder")


@pytest.mark.parametrize("damage", ["short", "signals"])
def test_a_file_too_short_for_its_rows_and_signals_without_size_are_damaged(tmp_path, damage):
    Ring(SIGNALS, rows=2000, dt=0.1, file=tmp_path / "w")
    data = bytearray((tmp_path / "w").read_bytes())
    if damage == "short":
        data = data[: len(data) // 2]
    else:
        at = data.index(b'"dt"')
        data[at : at + 4] = b'"xx"'
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(LinkError, match="damaged window"):
        RingReader(tmp_path / "damaged")
