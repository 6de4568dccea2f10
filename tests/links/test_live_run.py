"""A run that can be watched and pressed from outside, and does not know who watches."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dovetail as dv
from dovetail.links import RealTimeSettings
from dovetail.links.live_run import Live, find_live_run
from dovetail.links.native import available
from dovetail.testing import Operator, Outcome, Tunable, run_folder
from dovetail.testing.operator import read_events, send_request

PATIENT = {"priority": 0, "lock": False, "wait": 20.0, "grace": 1e6}  # see conftest
needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")
BOTH = pytest.mark.parametrize("native", [pytest.param(True, marks=needs_compiler), False])


def go(test, server, live, native=None):
    return test.run_realtime(
        str(server.address),
        real_time=RealTimeSettings(native=native, **PATIENT),
        operator=live.operator,
        window=live.window,
    )


class Outside(threading.Thread):
    """Watches the run of a folder as another process would, and presses."""

    def __init__(self, place, act):
        super().__init__(daemon=True)
        self.place, self.act, self.fault = place, act, None
        self.start()

    def run(self):
        try:
            self.act(self)
        except BaseException as error:
            self.fault = error

    def until(self, holds, timeout=60.0):
        end = time.monotonic() + timeout
        while not holds():
            assert time.monotonic() < end, "it never came to that"
            time.sleep(0.01)

    def window(self):
        self.until(
            lambda: (
                find_live_run(self.place) is not None and find_live_run(self.place).open_ring() is not None
            )
        )
        return find_live_run(self.place).open_ring()


@BOTH
def test_hold_turn_resume_and_stop_from_outside_are_done_and_recorded(make_cs1, served, tmp_path, native):
    test = make_cs1(duration=120.0, tunable={"numerical.c": Tunable(min=60.0, max=80.0, ramp_time=0.2)})
    seen = {}

    def act(self):
        window = self.window()
        self.until(lambda: window.newest > 50)
        send_request(self.place, "hold", "outside")
        self.until(lambda: any(p.action == "hold" for p in read_events(self.place)))
        time.sleep(0.2)
        seen["held"] = window.newest
        time.sleep(0.2)
        seen["still"] = window.newest
        send_request(self.place, "resume", "outside")
        send_request(self.place, "set", "outside", "numerical.c", 75.0)
        self.until(lambda: window.newest > seen["held"] + 400)
        seen["dial"] = float(window.latest(1)["tunable_values"][0, 0])
        send_request(self.place, "stop", "outside")

    with Live(test, tmp_path, "realtime") as live:
        outside = Outside(tmp_path, act)
        run = go(test, served(test), live, native)
    outside.join(10)
    assert outside.fault is None, outside.fault
    assert run.outcome is Outcome.INTERRUPTED
    assert seen["still"] == seen["held"]  # the test's time stood still
    assert seen["dial"] == 75.0
    kept = read_events(tmp_path)
    assert [event.action for event in kept] == ["hold", "resume", "set", "stop"]
    assert (kept[2].old, kept[2].new, kept[2].user) == (60.0, 75.0, "outside")
    dials = run.data["tunable_values"].values[1:, 0]
    assert dials[0] == 60.0
    assert dials[-1] == 75.0
    assert np.max(np.diff(dials)) <= 20.0 / 0.2 * test.dt * (1 + 1e-9)  # a ramp, no step
    # what was shown is gone, what was recorded stays, and goes into the same folder
    assert find_live_run(tmp_path) is None
    assert not live.window.exists()
    run_folder.save_run(run, tmp_path)
    again = run_folder.read_run(tmp_path)
    assert "operator_events" in again.data.attrs
    replayed = again.test.replay(again)
    n = replayed.data.sizes["time"]
    np.testing.assert_allclose(replayed.data.displacement, run.data.displacement[:n], rtol=1e-9, atol=1e-12)


READER = """
import sys
from dovetail.links.live_run import find_live_run
window = find_live_run(sys.argv[1]).open_ring()
print("looking", flush=True)
while True:
    window.latest(1000)
"""


@needs_compiler
def test_a_stopped_reader_does_not_delay_the_run(make_cs1, served, tmp_path):
    """The same ticks are taken, and none is lost, with a reader that is stopped (SIGSTOP) while it reads."""
    test = make_cs1(duration=3.0)

    def act(self):
        window = self.window()
        self.until(lambda: window.newest > 10)
        words = [sys.executable, "-c", READER, str(self.place)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        os.kill(self.process.pid, signal.SIGSTOP)

    with Live(test, tmp_path, "realtime") as live:
        outside = Outside(tmp_path, act)
        run = go(test, served(test), live)
    outside.join(30)
    outside.process.kill()
    outside.process.wait()
    outside.process.stdout.close()
    assert outside.fault is None, outside.fault
    assert run.outcome is Outcome.FINISHED
    assert run.data.sizes["time"] == test.tick_count + 1
    assert run.data.attrs["ticks_held"] == 0
    np.testing.assert_allclose(
        run.data.displacement, test.rehearse().data.displacement, rtol=1e-9, atol=1e-12
    )


def test_a_pseudodynamic_run_is_watched_held_and_stopped_between_moves(make_cs1, make_bench, tmp_path):
    test, seen = make_cs1(duration=5.0), {}

    def act(self):
        window = self.window()
        self.until(lambda: window.newest > 5)
        send_request(self.place, "hold", "outside")
        self.until(lambda: any(p.action == "hold" for p in read_events(self.place)))
        time.sleep(0.1)
        seen["held"] = window.newest
        time.sleep(0.2)
        seen["still"] = window.newest
        seen["row"] = window.latest(1)
        send_request(self.place, "resume", "outside")
        self.until(lambda: window.newest > seen["held"] + 3)
        send_request(self.place, "stop", "outside")

    with Live(test, tmp_path, "pseudodynamic") as live:
        outside = Outside(tmp_path, act)
        run = test.run_pseudodynamic(
            make_bench(seconds=0.002), folder=tmp_path, operator=live.operator, show=live.show()
        )
    outside.join(10)
    assert outside.fault is None, outside.fault
    assert run.outcome is Outcome.INTERRUPTED
    assert seen["still"] == seen["held"]
    at = int(np.argmin(np.abs(run.data.time.values - seen["row"]["time"][0])))
    assert run.data.displacement.values[at] == seen["row"]["displacement"][0]
    # and it goes on from its folder as if nothing had been
    n = run.data.sizes["time"]
    again = make_cs1(duration=n * test.dt).run_pseudodynamic(make_bench(), folder=tmp_path / "other")
    np.testing.assert_array_equal(run.data.displacement, again.data.displacement[:n])


def test_a_folder_without_a_live_run_is_not_watched(tmp_path):
    assert find_live_run(tmp_path) is None
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "about.json").write_text("{")
    assert find_live_run(tmp_path) is None


def test_only_its_user_can_read_the_window(tmp_path):
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=1.0, c=1.0, k=1.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(0.0), specimen=dv.specimens.Spring(k=1.0)),
        duration=1.0,
    )
    with Live(test, tmp_path, "pseudodynamic") as live:
        live.show()({"displacement": np.zeros(()), "time": np.zeros(())})
        assert live.window.stat().st_mode & 0o077 == 0
        assert find_live_run(tmp_path).alive


def test_operator_changes_of_a_pseudodynamic_test_are_repeated_on_resume(make_cs1, make_bench, tmp_path):
    test = make_cs1(duration=0.1, tunable={"numerical.k": Tunable(min=1000.0, max=5000.0, ramp_time=0.02)})

    class At(Operator):
        """Turns at one moment of the test, stops at another."""

        def __init__(self, turn, stop):
            super().__init__()
            self.at_turn, self.at_stop = turn, stop

        def update(self, now, stop_only=False):
            super().update(now, stop_only)
            if stop_only:
                return
            if now >= self.at_turn and not self.events:
                self.set_tunable("numerical.k", 4000.0)
            if now >= self.at_stop:
                self.stopped = True

    plain = test.run_pseudodynamic(make_bench())
    whole = test.run_pseudodynamic(make_bench(), operator=At(0.03, 1.0))
    assert float(abs(whole.data.displacement - plain.data.displacement).max()) > 1e-6  # it does something
    bench = make_bench()
    begun = test.run_pseudodynamic(bench, folder=tmp_path / "run", operator=At(0.03, 0.05))
    assert begun.outcome is Outcome.INTERRUPTED
    resumed = test.run_pseudodynamic(bench, folder=tmp_path / "run", resume=True)
    assert resumed.outcome is Outcome.FINISHED
    np.testing.assert_array_equal(resumed.data.displacement, whole.data.displacement)
