"""What all tests share: no program is compiled twice."""

import os
import shutil
import tempfile

FOLDER = "JAX_COMPILATION_CACHE_DIR"


def pytest_configure(config):
    """What one test process compiles the others, and the commands that tests start, find in a folder of this session.

    It begins empty and goes with the session; a folder or an empty value that the user has named stays as it is.
    """
    # an entry that another process is just writing costs time, nothing else
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache.*")
    if FOLDER not in os.environ:
        folder = tempfile.mkdtemp(prefix="dovetail-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ[FOLDER] = folder
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
