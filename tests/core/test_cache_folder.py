"""A file of the cache is loaded only if it was written by this user and has not changed since."""

import os
import stat

import pytest

from dovetail.core import cache_folder
from dovetail.core.cache_folder import SealedFolder, folder_fault
from dovetail.core.errors import OutputError

posix = pytest.mark.skipif(os.name != "posix", reason="other systems have no owner and mode of a file")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    cache_folder._key.cache_clear()
    yield tmp_path / "cache" / "programs"
    cache_folder._key.cache_clear()


@pytest.fixture
def sealed(folder):
    opened = SealedFolder(folder)
    (folder / "a").write_bytes(b"first")
    (folder / "b").write_bytes(b"second")
    opened.seal_new()
    return folder


def test_a_sealed_file_is_valid_for_the_next_process(sealed):
    assert SealedFolder(sealed).names == {"a", "b"}


def damage(file):
    file.write_bytes(b"other code")


def exchange(file):
    os.replace(file.with_name("b"), file)


def link(file):
    file.rename(file.parents[1] / "elsewhere")
    file.symlink_to(file.parents[1] / "elsewhere")


def pipe(file):
    file.unlink()
    os.mkfifo(file)


def open_to_others(file):
    file.chmod(0o666)


@posix
@pytest.mark.parametrize("change", [damage, exchange, link, pipe, open_to_others])
def test_a_file_that_was_changed_or_replaced_is_removed(sealed, change):
    change(sealed / "a")
    assert "a" not in SealedFolder(sealed).names
    assert not os.path.lexists(sealed / "a")


def test_a_file_without_a_seal_is_removed_and_a_folder_is_left(sealed):
    (sealed / "planted").write_bytes(b"code")
    (sealed / "scratch").mkdir()
    assert SealedFolder(sealed).names == {"a", "b"}
    assert {path.name for path in sealed.iterdir()} == {"a", "b", "scratch", "seals"}


def test_seals_of_another_key_are_not_valid(sealed, tmp_path):
    cache_folder.key_file().write_bytes(bytes(32))
    cache_folder._key.cache_clear()
    assert SealedFolder(sealed).names == set()


@posix
def test_only_the_user_can_read_the_key_and_it_lies_outside_the_cache(sealed):
    assert stat.S_IMODE(cache_folder.key_file().stat().st_mode) == 0o600
    assert sealed not in cache_folder.key_file().parents


@posix
@pytest.mark.parametrize("name", ["", "..", "../.."])
def test_a_folder_is_not_used_if_others_can_write_to_it_or_to_a_parent(folder, name, tmp_path):
    folder.mkdir(parents=True)
    path = (folder / name).resolve()
    mode = path.stat().st_mode
    path.chmod(0o777)
    assert folder_fault(folder) == f"other users can write to {path}; close it: chmod go-w {path}"
    path.chmod(0o1777)  # sticky, as /tmp: others cannot replace what it contains
    assert folder_fault(folder) == ""
    path.chmod(mode)


@posix
def test_a_folder_of_another_user_or_a_link_is_not_used(sealed, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(sealed)
    assert "is not a directory" in folder_fault(tmp_path / "link")
    if os.geteuid() == 0:
        os.chown(sealed, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: sealed.stat().st_uid + 1)
    with pytest.raises(OutputError, match="belongs to another user"):
        SealedFolder(sealed)


def test_a_folder_that_cannot_be_created_gives_the_reason(tmp_path):
    (tmp_path / "file").write_text("")
    assert folder_fault(tmp_path / "file" / "programs").endswith("cannot be created (not a directory)")


def test_a_file_written_to_a_full_disk_gets_no_seal(sealed, monkeypatch):
    opened = SealedFolder(sealed)
    monkeypatch.setattr(cache_folder, "MIN_FREE", 2**100)
    (sealed / "half").write_bytes(b"co")
    opened.seal_new()
    assert SealedFolder(sealed).names == {"a", "b"}


def test_the_oldest_files_are_removed_first(folder):
    opened = SealedFolder(folder)
    for i in range(6):
        (folder / f"p{i}").write_bytes(bytes(200))
        os.utime(folder / f"p{i}", (i, i))
    opened.seal_new()
    opened.remove_oldest(1000)
    assert opened.names == {"p2", "p3", "p4", "p5"}  # down to nine tenths
