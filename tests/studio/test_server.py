"""Server: port, key, and the message without NiceGUI."""

import socket
import stat
import sys

import pytest

from dovetail.core.errors import DovetailError
from dovetail.studio.server import free_port, serve, state_folder, stored_key


def test_a_used_port_is_rejected_with_an_alternative():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DovetailError, match=f"--port {port + 1}"):
            free_port(port)
    assert free_port(0) > 0


def test_the_key_survives_a_restart_and_is_readable_by_the_user_only(tmp_path):
    key = stored_key(tmp_path / "state", 8090)
    assert len(key) >= 32
    assert stored_key(tmp_path / "state", 8090) == key
    assert stored_key(tmp_path / "state", 8091) != key
    assert stat.S_IMODE((tmp_path / "state" / "key-8090").stat().st_mode) == 0o600


def test_in_an_unwritable_folder_only_the_key_is_not_stored(tmp_path, capsys):
    (tmp_path / "state").write_text("")
    assert len(stored_key(tmp_path / "state", 8090)) >= 32
    assert "not saved" in capsys.readouterr().err


def test_a_missing_nicegui_is_reported_with_the_install_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nicegui", None)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(DovetailError, match=r"pip install 'dovetail-hybrid\[studio\]'"):
        serve(None, 0, False, tmp_path)
    assert state_folder() == tmp_path / "dovetail" / "studio"
