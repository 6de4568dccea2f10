"""Datagrams: what is packed is read back, and nothing else is accepted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.links.rig_protocol import COMMAND, MEASUREMENT, Datagram, Reader, Rejection, RigState, size

KEY = bytes(range(16))
SESSION = 0x1122334455667788
HEX = (
    "4456544c" "02" "01" "01" "00"  # DVTL, version, command, active
    "8877665544332211" "0700000000000000" "0900000000000000" "0000000000000000"
    "00000000" "01000000" "000000000000f03f"  # flags, count, 1.0
    "00000000000000000000000000000000"
)  # fmt: skip


def command(sequence=7, **fields):
    values = {"session": SESSION, "clock": 9, "values": np.array([1.0]), **fields}
    return Datagram(COMMAND, RigState.ACTIVE, sequence=sequence, **values)


def reader(key=KEY, **fields):
    return Reader(**{"kind": COMMAND, "session": SESSION, "count": 1, "key": key, **fields})


def test_the_layout_is_that_of_the_page():
    assert command().pack().hex() == HEX
    assert len(command().pack()) == size(1) == 72


def test_packed_messages_are_unpacked_unchanged():
    sent = Datagram(MEASUREMENT, RigState.HOLD, 5, 2**63, 2**64 - 1, np.array([0.5, -0.0, np.nan]), 3, 2**31)
    got = Reader(MEASUREMENT, 5, 3, KEY).read(sent.pack(KEY))
    assert (got.state, got.sequence, got.clock, got.echo, got.flags) == (2, 2**63, 2**64 - 1, 3, 2**31)
    assert got.values.tobytes() == sent.values.tobytes()  # to the bit, NaN and -0 too


def changed(data, offset, value):
    return data[:offset] + bytes([value]) + data[offset + 1 :]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: command().pack(KEY)[:-1], Rejection.LENGTH),
        (lambda: command().pack(KEY) + b"\0", Rejection.LENGTH),
        (lambda: b"", Rejection.LENGTH),
        (lambda: command(values=np.zeros(2)).pack(KEY), Rejection.LENGTH),
        (lambda: changed(command().pack(KEY), 44, 200), Rejection.LENGTH),
        (lambda: changed(command().pack(KEY), 0, 0), Rejection.MAGIC),
        (lambda: changed(command().pack(KEY), 4, 3), Rejection.VERSION),
        (lambda: changed(command().pack(KEY), 5, MEASUREMENT), Rejection.KIND),
        (lambda: changed(command().pack(KEY), 6, 4), Rejection.KIND),
        (lambda: changed(command().pack(KEY), 7, 1), Rejection.KIND),
        (lambda: command(session=1).pack(KEY), Rejection.SESSION),
        (lambda: command().pack(), Rejection.TAG),
        (lambda: command().pack(bytes(16)), Rejection.TAG),
        (lambda: changed(command().pack(KEY), 50, 1), Rejection.TAG),
        (lambda: command(sequence=0).pack(KEY), Rejection.SEQUENCE),
    ],
)
def test_anything_else_is_dropped_and_counted(make, reason):
    receiving = reader()
    assert receiving.read(make()) is None
    assert receiving.rejected == {reason: 1}
    assert receiving.read(command().pack(KEY)) is not None  # and does no harm to what follows


def test_replayed_and_reordered_datagrams_are_dropped():
    receiving = reader()
    sent = [command(sequence=i).pack(KEY) for i in range(1, 5)]
    accepted = [receiving.read(sent[i]) is not None for i in (0, 0, 2, 1, 3, 3)]
    assert accepted == [True, False, True, False, True, False]
    assert receiving.rejected == {Rejection.SEQUENCE: 3}


def test_without_a_key_a_signed_datagram_is_dropped():
    receiving = reader(key=None)
    assert receiving.read(command().pack(KEY)) is None
    assert receiving.read(command().pack()) is not None


def test_too_many_values_are_rejected():
    with pytest.raises(ValueError, match="got 129 values"):
        command(values=np.zeros(129)).pack()


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_noise_is_never_accepted_and_never_raises(data):
    assert reader().read(data) is None


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 71), st.integers(1, 255)), min_size=1, max_size=4))
def test_a_corrupted_datagram_is_never_accepted(changes):
    good = bytearray(command().pack(KEY))
    for offset, flip in changes:
        good[offset] ^= flip
    if bytes(good) != command().pack(KEY):
        assert reader().read(bytes(good)) is None
