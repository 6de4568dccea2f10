"""POSIX features are needed in real-time mode only; all other modules work without them."""

import subprocess
import sys

WITHOUT = """
import os, sys, time
for name in ("fcntl", "resource", "termios", "pwd", "grp", "posix_ipc"):
    sys.modules[name] = None
import subprocess  # uses some of the names below at import
NAMES = ("sched_", "SCHED_", "mkfifo", "get", "O_NOFOLLOW", "O_DIRECTORY", "fchmod", "fchown", "fork", "kill", "setsid")
ELSEWHERE = {"getcwd", "getcwdb", "getenv", "getenvb", "getlogin", "getpid", "getppid", "get_exec_path",
             "get_inheritable", "get_terminal_size", "get_blocking", "kill", "getcwdu"}
for name in [name for name in dir(os) if name.startswith(NAMES) and name not in ELSEWHERE]:
    delattr(os, name)
os.process_cpu_count = os.cpu_count  # what Python 3.13 has there
for name in [name for name in dir(time) if name.startswith(("clock_", "CLOCK_", "pthread_"))]:
    delattr(time, name)

import importlib, pkgutil
import dovetail as dv
for module in pkgutil.walk_packages(dv.__path__, "dovetail."):
    if not module.name.endswith("__main__") and module.name != "dovetail.links.fmi.fmu_worker":
        importlib.import_module(module.name)

test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(5e-3), specimen=dv.specimens.Spring(k=2250.0)),
    excitation=dv.Sine(amplitude=0.012, frequency=3.0),
    duration=0.5,
)
assert test.stability().margin > 0
dv.testing.save_run(test.rehearse(), "run")
test.rehearse().report("report.html")
assert dv.testing.read_run("run").outcome.completed
print("it runs")
"""


def test_all_but_real_time_works_without_posix_modules(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.stdout.endswith("it runs\n"), result.stderr
    assert (tmp_path / "report.html").is_file()
