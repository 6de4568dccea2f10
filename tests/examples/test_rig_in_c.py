"""The reference rig in C: the protocol's page is enough to build a rig, and that rig is safe."""

import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.links import RealTimeSettings, read_key, write_key
from dovetail.testing import Outcome

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "rig_in_c" / "rig.c"
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    target = tmp_path_factory.mktemp("rig") / "rig"
    done = subprocess.run(
        [COMPILER, "-O1", "-Wall", "-Wextra", "-Werror", "-o", target, SOURCE, "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def rig(binary):
    """`rig("--lag", 0.0)` starts the rig and returns its process, with its address."""
    started = []

    def start(*options):
        words = [binary, "--port", "0", "--link-timeout", "60", *map(str, options)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        process.url = f"udp://127.0.0.1:{process.stdout.readline().split()[1]}"
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait(300)
        process.stdout.close()


def stopped(process):
    """End a rig; return its output."""
    process.terminate()
    said = process.stdout.read()
    assert process.wait(300) == 0
    return said


def make_test(duration=0.3, **limits):
    # generous: a busy machine may keep either side waiting for seconds
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(5e-3), specimen=dv.specimens.Spring(k=500.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=200.0,
        duration=duration,
        limits=dv.Limits(
            **{
                "link_timeout": 2000,
                "frozen_sensor": 2000,  # the rig process may get no processor time while the demand moves
                "approach_time": 0.02,
                "return_time": 0.1,
                **limits,
            }
        ),
    )


def go(test, process, **options):
    wait = options.pop("wait", 10.0)
    return test.run_realtime(
        process.url, real_time=RealTimeSettings(priority=0, lock=False, wait=wait), **options
    )


def test_it_is_a_spring_to_the_loop(rig):
    process = rig("--stiffness", 500, "--lag", 0)
    run = go(make_test(), process)
    assert run.outcome is Outcome.FINISHED
    x, force = run.data.measured_displacement, run.data.measured_force
    assert float(np.abs(x).max()) > 1e-3
    np.testing.assert_allclose(force, -500 * x, rtol=1e-12)
    assert "end: flags 64 after" in stopped(process)  # ended by the loop, led to rest before


def test_the_rig_serves_consecutive_sessions_with_a_key(rig, tmp_path):
    file = write_key(tmp_path / "key")
    process = rig("--key", file)
    for _ in range(2):
        assert go(make_test(0.05), process, key=read_key(file)).outcome is Outcome.FINISHED
    with pytest.raises(dv.core.errors.LinkError, match="the keys differ|has no key|uses a key"):
        make_test().run_realtime(process.url, key=bytes(16))
    assert stopped(process).count("session:") == 2


def test_the_limit_of_the_rig_leads_to_its_safe_state(rig):
    process = rig("--stiffness", 500, "--force-limit", 1)
    run = go(make_test(1.0), process)
    assert run.outcome is Outcome.RIG_STOPPED
    assert "safe: 8" in stopped(process)


def later(process, number, first=0.3):
    """Send a signal to the rig once a run is under way."""
    import threading

    def send():
        while process.stdout.readline() != "moving\n":
            pass
        time.sleep(first)
        process.send_signal(number)

    threading.Thread(target=send, daemon=True).start()


def test_after_the_rig_is_killed_the_link_is_lost_and_the_recording_saved(rig):
    process = rig()
    later(process, signal.SIGKILL)
    run = go(make_test(120.0, link_timeout=20), process, wait=2e-3)
    assert run.outcome is Outcome.LINK_LOST
    assert run.data.sizes["time"] > 10
    assert np.all(np.isfinite(run.data.displacement))


def test_paused_for_long_the_link_is_lost_and_it_wakes_up_into_its_safe_state(rig):
    process = rig()
    later(process, signal.SIGSTOP)
    run = go(make_test(120.0, link_timeout=20), process, wait=2e-3)
    assert run.outcome is Outcome.LINK_LOST
    process.send_signal(signal.SIGCONT)
    said = stopped(process)
    assert "safe:" in said


def test_after_a_short_pause_of_the_rig_the_run_continues(rig):
    process = rig()
    import threading

    def pause():
        while process.stdout.readline() != "moving\n":
            pass
        time.sleep(0.2)
        for length in (0.005, 0.05, 0.5):
            process.send_signal(signal.SIGSTOP)
            time.sleep(length)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.1)

    threading.Thread(target=pause, daemon=True).start()
    run = go(make_test(3.0, link_timeout=2000), process, wait=2e-3)
    assert run.outcome is Outcome.FINISHED
    assert run.data.sizes["time"] == 601


def test_the_rig_goes_to_its_safe_state_when_the_loop_ends(rig):
    """If the process of the loop dies, the rig notices the closed connection or the link timeout."""
    from dovetail.links import Address, Hello, PythonTick, RigState, TickSettings, connect

    process = rig()
    connection = connect(Address.parse(process.url), Hello(axes=1, rate=200.0, link_timeout=20), None)
    tick = PythonTick(
        TickSettings(connection.welcome.session, 1, 2, 5_000_000, 2000, wait=10**10), connection.datagrams
    )
    for _ in range(5):
        tick.step(RigState.ACTIVE, np.array([0.001]))
    process.stdout.readline()
    assert process.stdout.readline() == "moving\n"
    assert process.stdout.readline() == "safe: 2\n"  # the loop says nothing more: silence
    connection.close()
    assert "end: flags" in stopped(process)
