"""End of a command process."""

import os
import subprocess
import sys

import pytest

ENDS = """
import atexit, sys, threading, time
import dovetail.cli.process as front
import dovetail.cli.list_tests as listing

def late():
    time.sleep(0.2)
    print("a thread that went on")

def broken():
    raise ZeroDivisionError("a fault of ours")

def listed(main=front.main):
    atexit.register(print, "the end")
    try:
        main()
    finally:
        threading.Thread(target=late).start()

atexit.register(print, "too early to be seen")
if sys.argv[1:] == ["list"]:
    front.main = listed
else:
    listing.print_studies, sys.argv[1:] = broken, ["list"]
front.process()
"""


def ended(*words):
    found = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return found.returncode, found.stdout, found.stderr


def test_a_process_ends_its_threads_prints_its_output_and_returns_its_code():
    code, out, _ = ended(sys.executable, "-c", ENDS, "list")
    assert code == 0
    assert "substructuring/cs1" in out
    assert out.endswith("a thread that went on\nthe end\n")  # nothing is taken apart after that
    code, _, err = ended(sys.executable, "-c", ENDS, "broken")
    assert code == 1
    assert "ZeroDivisionError: a fault of ours" in err


def test_python_m_is_the_command():
    code, out, err = ended(sys.executable, "-m", "dovetail", "rnu")
    assert (code, out) == (2, "")
    assert "rnu" in err


PRINTING = [
    ["list"],
    ["parts"],
    ["--help"],
    ["capabilities"],
    ["cite", "substructuring/cs1"],
    ["check", "substructuring/cs1"],
    ["rnu"],
]


@pytest.mark.parametrize("words", PRINTING, ids=lambda words: words[0])
def test_a_closed_output_pipe_does_not_change_the_exit_code(words):
    """`dovetail list | head -1`: quietly, with the code that it has where all is read."""
    command = [sys.executable, "-m", "dovetail", *words]
    read, write = os.pipe()
    os.close(read)  # nobody reads
    try:
        gone = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(write)
    code, _, err = ended(*command)
    assert (gone.returncode, gone.stderr) == (code, err)


def test_a_run_continues_after_its_output_pipe_closed(tmp_path):
    """What is told first finds no reader any more; the run is made and written all the same."""
    command = [sys.executable, "-m", "dovetail", "run", "substructuring/cs1", "--set", "duration=0.2"]
    command += ["--no-report", "--out", str(tmp_path / "run")]
    read, write = os.pipe()
    os.close(read)
    try:
        code = subprocess.run(command, stdout=write, stderr=write, timeout=120).returncode
    finally:
        os.close(write)
    assert code == 0
    assert (tmp_path / "run" / "result.nc").is_file()
