"""Without the modules and functions that only POSIX systems have, a test can be run and reported."""

import subprocess
import sys

import pytest

POSIX_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
POSIX_FUNCTIONS = ("fchmod", "fork", "geteuid", "getpgid", "getuid", "killpg", "sched_setscheduler", "setsid")
PROGRAM = f"""
import os, sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name in {POSIX_MODULES}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

for name in {POSIX_MODULES}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, NotInstalled())
import subprocess  # looks for fork_exec at import
for name in (*{POSIX_FUNCTIONS}, "O_DIRECTORY", "O_NOFOLLOW"):
    if hasattr(os, name):
        delattr(os, name)
sys.argv = ["dovetail", "run", "substructuring/cs1", "--out", sys.argv[1]]
from dovetail.cli.main import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has none of these modules")
def test_a_test_runs_without_posix_modules(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "cs1")]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "cs1" / "result.nc").is_file()
    assert (tmp_path / "cs1" / "report.html").is_file()
