"""`dovetail studio`: invalid options are reported."""

import subprocess
import sys


def test_an_unknown_option_and_the_help_are_answered_without_a_server():
    for words, code in ((["studio", "--help"], 0), (["studio", "--nothing"], 2)):
        done = subprocess.run(
            [sys.executable, "-m", "dovetail", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == code
