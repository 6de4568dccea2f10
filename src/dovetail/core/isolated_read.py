"""Trial reading of an untrusted file in a separate process.

Some damaged files make HDF5 loop forever or end the process of the MAT file reader.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIMIT_CPU_TIME = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]),) * 2)
except ImportError:  # not available on this system
    pass
"""


def run_isolated(path: Path, code: str, *arguments: str) -> str:
    """Run code that reads the file `sys.argv[1]`; return why it failed, empty if it succeeded.

    The arguments are `sys.argv[3:]`.
    """
    seconds = 5 + path.stat().st_size // 20_000_000  # [s] of processor time
    command = [sys.executable, "-c", LIMIT_CPU_TIME + code, str(path), str(seconds), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return "the file cannot be read completely"
    return (done.stderr.splitlines() or [""])[-1][:120] if done.returncode else ""
