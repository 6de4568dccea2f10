"""A test that hangs fails after its time limit with its position; the other tests run."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
HANGING = """
import ctypes, signal, threading, time
import conftest, pytest

conftest.GRACE = 0.2

def waits_beside(event=threading.Event()):
    event.wait(60)

threading.Thread(target=waits_beside, daemon=True).start()

@pytest.fixture
def child():
    yield
    print("the fixture was torn down")

def test_hangs(child):
    while True:
        time.sleep(0.01)

@pytest.mark.slow
def test_slow():
    time.sleep(0.3)

def test_hangs_in_compiled_code():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    ctypes.CDLL(None).sleep(60)

def test_last():
    pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="other signals")
def test_a_hanging_test_fails_and_the_others_run(tmp_path):
    (tmp_path / "test_hanging.py").write_text(HANGING)
    plugins = ["-p", "xdist", "-p", "pytest_timeout", "-p", "conftest"]
    settings = ["-c", str(TESTS.parent / "pyproject.toml"), "--rootdir", str(tmp_path), "-o", "timeout=0.15"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *settings, "-n1", str(tmp_path)],
        env={"PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    out = done.stdout
    assert "2 failed, 2 passed" in out, out
    assert ">           time.sleep(0.01)" in out  # the line of the test
    assert "event.wait(60)" in out  # of the thread beside it
    assert "the fixture was torn down" in out
    assert "crashed while running" in out  # in compiled code: by pytest-xdist
    assert "in test_hangs_in_compiled_code" in done.stderr
