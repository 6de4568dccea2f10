"""How the process of a command ends."""

import subprocess
import sys

ENDS = """
import atexit, sys, threading, time
import dovetail.cli.process as front
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
