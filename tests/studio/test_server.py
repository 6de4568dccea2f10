"""Server: port, key, and the message without NiceGUI."""

import socket
import stat
import sys

import pytest

from dovetail.core.errors import DovetailError
from dovetail.studio.server import free_port, serve, state_folder, stored_key


def test_a_port_that_is_taken_is_refused_with_another_to_try():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DovetailError, match=f"--port {port + 1}"):
            free_port(port)
    assert free_port(0) > 0


def test_the_key_is_kept_over_a_restart_and_is_the_users_alone(tmp_path):
    key = stored_key(tmp_path / "state", 8090)
    assert len(key) >= 32
    assert stored_key(tmp_path / "state", 8090) == key
    assert stored_key(tmp_path / "state", 8091) != key
    assert stat.S_IMODE((tmp_path / "state" / "key-8090").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_written_costs_the_memory_of_the_key_only(tmp_path, capsys):
    (tmp_path / "state").write_text("")
    assert len(stored_key(tmp_path / "state", 8090)) >= 32
    assert "not saved" in capsys.readouterr().err


def test_without_nicegui_the_line_to_type_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nicegui", None)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(DovetailError, match=r"pip install 'dovetail-hybrid\[studio\]'"):
        serve(None, 0, False, tmp_path)
    assert state_folder() == tmp_path / "dovetail" / "studio"
