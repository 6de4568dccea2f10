"""A test's virtual rig, stepped over the link, is the rig of the rehearsal."""

import dataclasses
import socket
import threading

import numpy as np
import pytest

import dovetail as dv
from dovetail.links import VirtualPlant
from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import COMMAND, Datagram, RigState
from dovetail.specimens import Memoryless


def test_it_follows_commands_as_the_rig_in_a_rehearsal_does(make_cs1):
    test = make_cs1(duration=0.05)
    rehearsed = test.rehearse().data
    plant = VirtualPlant(test)
    assert plant.signals[:2] == (("measured_displacement", 1), ("measured_force", 1))
    for _ in range(2):  # and again from rest
        readings = [plant.reset(), *(plant.step(np.atleast_1d(c)) for c in rehearsed.command.values[1:])]
        for i, name in enumerate(plant.names):
            np.testing.assert_allclose(np.array(readings)[:, i], rehearsed[name], rtol=1e-12, atol=1e-15)


class Clock(Memoryless):
    """A specimen whose force [N] is the time [s] of its rig."""

    def output(self, t, x, u):
        return {"force": t + 0.0 * u["displacement"]}


@pytest.mark.skipif(bool(available()), reason="no C++ compiler")
def test_the_time_of_a_compiled_session_is_that_of_its_ticks(make_cs1):
    test = make_cs1(rate=100.0)
    plant = VirtualPlant(dataclasses.replace(test, rig=dv.Rig(test.rig.actuator, specimen=Clock())))
    ticks = []
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rig,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loop,
    ):
        rig.bind(("127.0.0.1", 0))
        session = NativeSession(plant, session=3, rate=100.0, link_timeout=5, limits={}, datagrams=rig)
        thread = threading.Thread(target=lambda: ticks.append(plant.program(session.handle)), daemon=True)
        thread.start()
        command = Datagram(COMMAND, RigState.ACTIVE, 3, 1, 0, np.zeros(1))
        loop.sendto(command.pack(None), rig.getsockname())
        while session.tick_count < 4 and thread.is_alive():
            threading.Event().wait(0.01)
        session.end()
        thread.join(300)
    assert ticks == [session.tick_count]
    assert session.inner.reading[1] == pytest.approx(session.tick_count / 100.0)
