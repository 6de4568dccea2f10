"""A job records its exit code."""

import json

from dovetail.app import worker


def test_the_exit_code_of_the_command_is_noted(tmp_path, capsys):
    assert worker.work(tmp_path, ["check", "no/such"]) == 2
    assert json.loads((tmp_path / worker.ENDED).read_text("utf-8"))["code"] == 2
    assert 'no test "no/such"' in capsys.readouterr().err
    assert worker.work(tmp_path, ["--version"]) == 0
    assert json.loads((tmp_path / worker.ENDED).read_text("utf-8"))["code"] == 0
