"""A trial in a separate process may end it, raise an error or never return; the caller gets the reason."""

import sys

import pytest

from dovetail.core import isolated_read


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_text("7", "utf-8")
    return path


def test_a_successful_isolated_read_gives_an_empty_text(file):
    assert isolated_read.run_isolated(file, "assert open(sys.argv[1]).read() == '7'") == ""


def test_the_text_of_an_error_is_returned(file):
    assert isolated_read.run_isolated(file, "raise ValueError('no seven')") == "ValueError: no seven"


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_trial_that_ends_its_process_is_reported(file):
    assert isolated_read.run_isolated(file, "import os; os.abort()") == "the file cannot be read completely"


def test_a_system_without_resource_limits_reads_the_file(file):
    assert isolated_read.run_isolated(file, "sys.exit()") == ""
    code = "sys.modules['resource'] = None\n" + isolated_read.LIMIT_CPU_TIME + "print('read')"
    assert isolated_read.run_isolated(file, code) == ""
