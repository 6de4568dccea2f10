"""The reference rig in C: the protocol's page is enough to build a rig, and that rig is safe."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.links import (
    Address,
    Hello,
    PythonTick,
    RealTimeSettings,
    RigState,
    TickSettings,
    connect,
    read_key,
    write_key,
)
from dovetail.links.connection import receive_message
from dovetail.links.rig_protocol import COMMAND, Datagram
from dovetail.testing import Outcome

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "rig_in_c" / "rig.c"
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    target = tmp_path_factory.mktemp("rig") / "rig"
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [COMPILER, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-o", target, SOURCE, "-lm"]
    done = subprocess.run([*command, *sanitize], capture_output=True, text=True, check=False)
    if done.returncode:  # a compiler without the libraries of the sanitizers
        done = subprocess.run(command, capture_output=True, text=True, check=False)
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
    said = stopped(process)
    assert "end: flags 64 after" in said  # ended by the loop, led to rest before
    assert "ticks, at rest" in said


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


HELLO = Hello(axes=1, rate=200.0, link_timeout=20)


def moved(process, key=None, hello=HELLO):
    """Open a session and move the rig to 10 mm; return connection and tick."""
    connection = connect(Address.parse(process.url), hello, key)
    settings = TickSettings(connection.welcome.session, 1, 2, 5_000_000, 2000, wait=10**10, key=key)
    tick = PythonTick(settings, connection.datagrams)
    for _ in range(20):
        reading, _ = tick.step(RigState.ACTIVE, np.array([0.01]))
    assert reading[0] > 0.009
    return connection, tick


def dialled(process):
    """Connect to the rig; return the connection after its challenge."""
    line = socket.create_connection(("127.0.0.1", Address.parse(process.url).port), timeout=60.0)
    return line, receive_message(line)


def refusal(process, hello):
    """Send a hello made from the challenge; return the reason of the refusal."""
    line, challenge = dialled(process)
    with line:
        line.sendall(hello(challenge))
        answer = receive_message(line).decode()
    assert "refused " in answer
    return answer.split("refused ")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("silence 20", "silence 1e10", "silence: expected 1 to"),
        ("silence 20", "silence nan", "silence: expected 1 to"),
        ("limit displacement 0.05", "limit displacement nan", "limit: expected a positive number"),
        ("limit displacement 0.05", "limit displacement inf", "limit: expected a positive number"),
        ("limit displacement 0.05", "limit displacement -1", "limit: expected a positive number"),
        ("rate 200.0", "rate 1e999", "the rig ticks at"),
        ("axes 1", "axes 1x", "the rig has 1 axis"),
    ],
)
def test_numbers_without_meaning_are_refused(rig, old, new, why):
    hello = Hello(axes=1, rate=200.0, link_timeout=20, limits={"displacement": 0.05})
    changed = lambda challenge: hello.pack(challenge, None).replace(old.encode(), new.encode())  # noqa: E731
    assert refusal(rig(), changed).startswith(why)


def test_the_bound_of_the_rig_on_the_link_timeout_applies_and_is_named(rig):
    process = rig("--link-timeout", "0.2")
    with connect(
        Address.parse(process.url), Hello(axes=1, rate=200.0, link_timeout=10**9 - 1), None
    ) as connection:
        assert connection.link_timeout == connection.welcome.link_timeout == 40


def test_a_replayed_hello_is_refused(rig, tmp_path):
    process = rig("--key", write_key(tmp_path / "key"))
    key = read_key(tmp_path / "key")
    line, challenge = dialled(process)
    with line:
        old = HELLO.pack(challenge, key)
    assert refusal(process, lambda challenge: old) == "the signature is wrong: the keys differ"
    moved(process, key)[0].close()


def test_a_client_that_does_not_finish_its_hello_disturbs_no_session(rig):
    process = rig()
    lines = [dialled(process)[0] for _ in range(20)]  # more than the rig hears at a time
    for line in lines[-5:]:
        line.sendall(b"D")
    connection, tick = moved(process)
    for line in lines[-5:]:
        line.sendall(b"O")
    reading, _ = tick.step(RigState.ACTIVE, np.array([0.01]))
    assert tick.rig_state == RigState.ACTIVE
    for line in lines:
        line.close()
    connection.close()
    assert "at rest" in stopped(process)


@pytest.mark.parametrize(("number", "flags"), [(None, 64), (signal.SIGTERM, 32)])
def test_every_end_leads_it_to_rest_before_it_says_so(rig, number, flags):
    process = rig()
    connection, _ = moved(process)
    if number is None:
        connection.close()
    else:
        process.send_signal(number)
    said = ""
    while "end:" not in said:
        said = process.stdout.readline()
    assert f"end: flags {flags} after" in said
    assert said.endswith("at rest\n")
    assert (
        int(said.split("after ")[1].split()[0]) >= 20 + 0.4 * 200
    )  # the path to rest, in ticks of its own clock
    connection.close()


def disturb(process, seconds, pieces):
    """Send damaged datagrams and hellos, of a session too, until a time [s] or a number is reached."""
    rng, end = random.Random(7), time.monotonic() + seconds
    to = ("127.0.0.1", Address.parse(process.url).port)
    connection, _ = moved(process)
    session = connection.welcome.session
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
        for k in range(pieces):
            if time.monotonic() > end:
                break
            value = rng.choice([0.0, 0.01, np.nan, np.inf, 1e308, -0.02])
            state, sequence = RigState(rng.randrange(4)), rng.randrange(2 ** rng.choice([8, 63]))
            data = bytearray(Datagram(COMMAND, state, session, sequence, 0, np.array([value])).pack(None))
            for _ in range(rng.randrange(3)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            noise.sendto(data[: rng.choice([len(data), rng.randrange(len(data) + 1)])], to)
            if k % 50 == 0:
                line, challenge = dialled(process)
                with line:
                    hello = bytearray(HELLO.pack(challenge, None))
                    for _ in range(rng.randrange(5)):
                        hello[rng.randrange(len(hello))] = rng.randrange(256)
                    line.sendall(hello[: rng.randrange(len(hello) + 1)] * rng.choice([1, 1, 90]))
    connection.close()


def test_damaged_datagrams_and_hellos_do_it_no_harm(rig):
    process = rig()
    disturb(process, 60.0, 3000)
    assert "at rest" in stopped(process)


@pytest.mark.slow
def test_minutes_of_damaged_datagrams_do_it_no_harm(rig):
    """`make fuzz`; the number of seconds is `DOVETAIL_FUZZ_SECONDS`."""
    process = rig()
    disturb(process, float(os.environ.get("DOVETAIL_FUZZ_SECONDS", "600")), 10**9)
    assert "at rest" in stopped(process)
