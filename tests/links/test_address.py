"""Addresses and keys: nothing goes beyond this machine without a key."""

import socket
import stat

import pytest

from dovetail.core.errors import LinkError
from dovetail.links.address import KEY_VARIABLE, Address, read_key, write_key


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("udp://localhost:7001", "localhost", 7001),
        ("udp://rig.lab", "rig.lab", 7001),
        ("udp://[::1]:9", "::1", 9),
        ("udp://127.0.0.1:65535/", "127.0.0.1", 65535),
    ],
)
def test_an_address_is_read(url, host, port):
    assert Address.parse(url) == Address(host, port)


@pytest.mark.parametrize(
    "url", ["localhost:7001", "udp://", "udp://a:b", "udp://a:0", "udp://a:70000", "udp://a b"]
)
def test_an_invalid_address_is_reported(url):
    with pytest.raises(LinkError, match="the address of a rig has the form udp://HOST:PORT"):
        Address.parse(url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9"])
def test_this_machine_needs_no_key(host):
    assert Address(host, 7001).resolve(None)[1].startswith("127.")


def test_localhost_is_this_machine_without_a_hosts_file(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert Address("localhost", 7001).resolve(None) == (socket.AF_INET, "127.0.0.1")
    with pytest.raises(LinkError, match='no host "elsewhere"'):
        Address("elsewhere", 7001).resolve(None)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
def test_beyond_this_machine_a_key_is_needed(host):
    with pytest.raises(LinkError, match="is not this machine: give both sides the same key file"):
        Address(host, 7001).resolve(None)
    assert Address(host, 7001).resolve(bytes(16))[1] == host


def test_a_key_is_written_for_its_owner_alone_and_read_back(tmp_path, monkeypatch):
    file = write_key(tmp_path / "key")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(read_key(file)) == 16
    assert read_key(file) != read_key(write_key(tmp_path / "other"))
    monkeypatch.setenv(KEY_VARIABLE, str(file))
    assert read_key(None) == read_key(file)
    monkeypatch.delenv(KEY_VARIABLE)
    assert read_key(None) is None


@pytest.mark.parametrize("text", ["", "abc", "0" * 31, "0" * 33, "g" * 32])
def test_an_invalid_key_is_reported(tmp_path, text):
    (tmp_path / "key").write_text(text)
    with pytest.raises(LinkError, match="expected 32 hexadecimal digits"):
        read_key(tmp_path / "key")
