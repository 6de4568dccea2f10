"""What an FMU was unpacked into goes with the process, however the process ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dovetail.links.fmi import unpack_folder
from dovetail.links.fmi.unpack_folder import new_folder

CODE = """
import os, runpy, sys
folder = runpy.run_path(sys.argv[2])["new_folder"]()
(folder / "binaries").mkdir()
print(folder, flush=True)
sys.stdin.readline()
if sys.argv[1] == "quick":
    os._exit(0)
"""


@pytest.mark.parametrize("end", ["ordered", "quick", "killed", "terminated"])
def test_a_folder_ends_with_its_process(end):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, end, unpack_folder.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    folder = Path(process.stdout.readline().strip())
    assert folder.is_dir()
    if end in ("killed", "terminated"):
        process.send_signal(signal.SIGKILL if end == "killed" else signal.SIGTERM)
    process.communicate("\n")
    timeout = time.monotonic() + 120  # the shell beside it removes it a moment later
    while folder.parent.exists() and time.monotonic() < timeout:
        time.sleep(0.02)
    assert not folder.parent.exists()


LEFT = """
import os, runpy, subprocess, sys
unpacked = runpy.run_path(sys.argv[1])
unpacked["new_folder"]()
(guard,) = unpacked["_guards"].values()  # goes with this module, at the very end
subprocess.Popen.__del__ = lambda self, write=os.write: self.returncode is None and write(1, b"it runs on")
"""


def test_a_regular_end_leaves_no_process():
    done = subprocess.run(
        [sys.executable, "-c", LEFT, unpack_folder.__file__], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""


def test_each_process_has_an_empty_folder_with_its_number():
    first, second = new_folder(), new_folder()
    assert first != second
    assert not list(first.iterdir())
    assert str(os.getpid()) in first.parent.name
