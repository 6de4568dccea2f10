"""Faults of whole processes, on the wall clock: the rig paused or killed, no room for the window.

A loop that is paused or interrupted, and a full disk, are tested with the command line.

Rates are low and silences long enough that a busy machine does not decide the outcome.
"""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links import RealTimeSettings
from dovetail.testing import Outcome

QUIET = RealTimeSettings(priority=0, lock=False)
TEST = """
import dovetail as dv
test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(0.01), specimen=dv.specimens.Spring(k=500.0)),
    excitation=dv.Sine(amplitude=0.012, frequency=1.0),
    rate=100.0,
    duration=1.5,
    # a rig that a busy machine lets wait answers with what it read before: the silence alone is to decide
    limits=dv.Limits(link_timeout=25, frozen_sensor=150, approach_time=0.05, return_time=0.05),
)
"""
SERVE = (
    TEST
    + """
from dovetail.links import Address, RigServer, VirtualPlant
report = lambda text: print(text, flush=True)
server = RigServer(VirtualPlant(test), Address("127.0.0.1", 0), test.rate, report=report, max_link_timeout=60.0)
print(server.address, flush=True)
server.serve()
"""
)


def the_test():
    names = {}
    exec(TEST, names)
    return names["test"]


@pytest.fixture(scope="module")
def rig():
    """A served rig in its own process: the process, its address. The last test kills it."""
    process = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, text=True)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait(300)
    process.stdout.close()


def at_tick(share, act):
    """A progress callback that acts once when that share of the test is done."""
    done = []

    def progress(now, text):
        if now > share and not done:
            done.append(True)
            act()

    return progress


def paused(process, seconds):
    def act():
        process.send_signal(signal.SIGSTOP)
        threading.Timer(seconds, lambda: process.send_signal(signal.SIGCONT)).start()

    return act


def test_a_rig_that_is_paused_briefly_is_survived_and_one_that_is_paused_long_is_not(rig):
    process, url = rig
    test = the_test()
    for seconds in (0.005, 0.05):
        run = test.run_realtime(url, real_time=QUIET, progress=at_tick(0.3, paused(process, seconds)))
        assert run.outcome is Outcome.FINISHED
        assert run.data.sizes["time"] == 151
        time.sleep(0.3)  # the server sees the end of the session
    # 50 ms are five ticks without an answer, less what arrives with the one that ends the pause
    assert run.data.attrs["datagrams_lost"] >= 2
    assert float(run.data.measurement_age.max()) >= 2
    run = test.run_realtime(url, real_time=QUIET, progress=at_tick(0.3, paused(process, 0.5)))
    assert run.outcome is Outcome.LINK_LOST
    assert run.trip.signal == "measurement_age"
    assert 40 < run.data.sizes["time"] < 151
    assert np.all(np.isfinite(run.data.displacement))
    said = [process.stdout.readline() for _ in range(9)]
    assert (
        "late" in said[-1] or "link timeout" in said[-1] or "ended" in said[-1]
    )  # by itself, whichever it met first


def test_missing_shared_memory_is_reported_before_any_motion(served, tmp_path):
    test = the_test()
    server = served(test)
    with pytest.raises(LinkError, match="the window cannot be created"):
        test.run_realtime(str(server.address), real_time=QUIET, window="/dev/full")
    assert not any("moves" in text for text in server.said)


def test_a_rig_that_is_killed_loses_the_link_within_the_agreed_silence(rig):
    process, url = rig
    run = the_test().run_realtime(url, real_time=QUIET, progress=at_tick(0.3, process.kill))
    assert run.outcome is Outcome.LINK_LOST
    last = run.data.measurement_age.values[-1]
    assert last == pytest.approx(25, abs=1)
    assert np.all(np.isfinite(run.data.measured_force))  # nothing recorded is lost
    assert run.return_recording is not None
