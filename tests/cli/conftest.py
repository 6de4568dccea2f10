"""Command line, called in this process."""

import sys

import pytest

from dovetail.cli.main import main
from dovetail.core import user_parts


@pytest.fixture
def dovetail(monkeypatch, capsys, tmp_path):
    """`code, out, err = dovetail("run", "substructuring/cs1")`, in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_parts, "_command_line", {})  # by --parts of an earlier call
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dovetail", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        return int(caught.value.code or 0), printed.out, printed.err

    return call
