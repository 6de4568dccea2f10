"""What is tried in a process of its own may end it, raise or go on for ever; this one is told."""

import sys

import pytest

from dovetail.core import isolated_read


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_text("7", "utf-8")
    return path


def test_what_comes_to_its_end_has_no_fault(file):
    assert isolated_read.tried(file, "assert open(sys.argv[1]).read() == '7'") == ""


def test_what_raises_is_quoted(file):
    assert isolated_read.tried(file, "raise ValueError('no seven')") == "ValueError: no seven"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
def test_what_ends_its_process_is_told(file):
    assert isolated_read.tried(file, "import os; os.abort()") == "it cannot be read to its end"


def test_a_system_without_limits_reads_all_the_same(file):
    assert isolated_read.tried(file, "sys.exit()") == ""
    code = "sys.modules['resource'] = None\n" + isolated_read.LIMITED + "print('read')"
    assert isolated_read.tried(file, code) == ""
