"""The built library: the same signatures as the Python version; its rules are tested in ../test_tick.py."""

import ctypes
import random
import socket

import numpy as np
import pytest

from dovetail.links.native import NativeTick, available, library
from dovetail.links.rig_protocol import MEASUREMENT, Datagram, RigState
from dovetail.links.siphash import siphash128
from dovetail.links.tick import TickSettings

pytestmark = pytest.mark.skipif(bool(available()), reason="no C++ compiler")


def test_native_and_python_signatures_are_equal():
    die = random.Random(1)
    for length in [*range(40), 1088]:
        key, message = die.randbytes(16), die.randbytes(length)
        tag = ctypes.create_string_buffer(16)
        library().dovetail_siphash(key, message, length, tag)
        assert tag.raw == siphash128(key, message)


def test_noise_is_dropped_by_the_native_reader_too():
    """Random and slightly wrong datagrams, many to a tick: none is taken, none does harm."""
    die, key = random.Random(2), bytes(range(16))
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        tick = NativeTick(TickSettings(7, 1, 2, 1_000_000, 10**6, key=key, wait=1000, spin=0), near)
        good = Datagram(MEASUREMENT, RigState.ACTIVE, 7, 1, 0, np.array([5.0, 6.0])).pack(key)
        for _ in range(200):
            for _ in range(3):
                data = bytearray(good) if die.random() < 0.7 else bytearray(die.randbytes(die.randrange(150)))
                if data:
                    data[die.randrange(len(data))] ^= 1 << die.randrange(8)
                if bytes(data) != good:
                    far.send(bytes(data))
            reading, _ = tick.step(RigState.READY, np.zeros(1))
            assert reading.tolist() == [0.0, 0.0]
            while True:  # the commands are not read by anyone: keep the queue short
                try:
                    far.recv(200, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    break
        counts = tick.counts()
        assert counts.received == 0
        assert sum(counts.rejected.values()) > 400


def test_scheduling_is_unchanged_without_a_request():
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        tick = NativeTick(TickSettings(7, 1, 2, 1_000_000, 10, wait=1000), near)
        tick.step(RigState.READY, np.zeros(1))
        assert set(tick.counts().scheduling.values()) == {"not requested"}


def test_requested_scheduling_is_granted_or_the_refusal_reported():
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near, far:
        tick = NativeTick(TickSettings(7, 1, 2, 1_000_000, 10, wait=1000, fifo=1, core=10_000 % 1024), near)
        tick.step(RigState.READY, np.zeros(1))
        said = tick.counts().scheduling
        tick.settle(-1)  # given back
        assert said["real-time policy"].split(":")[0] in ("granted", "refused")
        assert said["core"].startswith("refused")  # there is no such core
        assert said["locked memory"] == "not requested"
