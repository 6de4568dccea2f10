"""The front door: every command answers, and what is wrong is told in one message."""

import gc
import subprocess
import sys

import pytest

from dovetail import __version__


def test_help_lists_the_commands(dovetail):
    code, out, _ = dovetail("--help")
    assert code == 0
    for command in ("list", "run", "check", "reproduce", "capabilities", "cite", "doctor", "demo"):
        assert command in out


def test_an_unknown_command_is_told(dovetail):
    code, _, err = dovetail("rnu")
    assert code == 2
    assert "rnu" in err


def test_an_unexpected_error_is_not_hidden(dovetail, monkeypatch):
    import dovetail.cli.listing as listing

    def broken():
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(listing, "print_studies", broken)
    with pytest.raises(ZeroDivisionError):
        dovetail("list")


def test_a_traceback_is_shown_on_request(dovetail, monkeypatch):
    from dovetail.core.errors import UnknownNameError

    monkeypatch.setenv("DOVETAIL_TRACEBACK", "1")
    with pytest.raises(UnknownNameError):
        dovetail("check", "substructuring/cs99")


def test_an_unknown_test_lists_the_known_ones(dovetail):
    code, _, err = dovetail("run", "substructuring/cs11")
    assert code == 2
    assert err.startswith('dovetail: no test "substructuring/cs11"; did you mean "substructuring/cs1"?')


def test_the_version_is_known():
    assert __version__.count(".") == 2


def test_a_command_looks_for_garbage_seldom(dovetail):
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python begins
    try:
        assert dovetail("--version")[0] == 0
        assert gc.get_threshold()[0] > 10_000
    finally:
        gc.set_threshold(*before)


ENDS = """
import atexit, sys, threading, time
import dovetail.cli.main as front
import dovetail.cli.listing as listing

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


def test_a_process_ends_with_its_threads_its_last_words_and_its_code():
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
