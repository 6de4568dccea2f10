"""Read a file that nobody vouches for in a process of its own first.

In some damaged files HDF5 goes round in circles for ever, and the reader of MAT files ends its process.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIMITED = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]),) * 2)
except ImportError:  # a system without limits
    pass
"""


def tried(path: Path, code: str) -> str:
    """Why code that reads the file `sys.argv[1]` does not come to its end; empty if it does."""
    seconds = 5 + path.stat().st_size // 20_000_000  # [s] of the processor, whatever else it does
    words = [sys.executable, "-c", LIMITED + code, str(path), str(seconds)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return "it cannot be read to its end"
    return (done.stderr.splitlines() or [""])[-1][:120] if done.returncode else ""
