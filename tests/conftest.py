"""What all tests share: no program is compiled twice, nor again by the next session."""

import os


def pytest_configure(config):
    """What one test process compiles the others, the commands that tests start, and the next session find.

    It lies in pytest's own folder, which `make clean` removes; a place that the user has named stays as it is.
    """
    os.environ.setdefault("DOVETAIL_PROGRAMS", str(config.rootpath / ".pytest_cache" / "programs"))
    # a program that cannot be loaded costs time, nothing else
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache.*")
