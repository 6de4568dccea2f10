"""Plain files are read within a bound and written whole; links, devices and pipes are refused."""

import os

import pytest

import seeded_faults
from dovetail.core import plain_file


def test_a_link_is_rejected_unless_the_user_names_it(tmp_path):
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(OSError, match="is a link"):
        plain_file.read(tmp_path / "link")
    assert plain_file.read(tmp_path / "link", follow=True) == b"text"


def test_devices_pipes_and_folders_are_rejected_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(OSError, match="is a device, a pipe or a directory"):
            plain_file.read(path, follow=True)


def test_a_file_above_the_bound_is_rejected(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert plain_file.read(tmp_path / "file", 5) == b"12345"
    with pytest.raises(OSError, match="is larger than 4 bytes"):
        plain_file.read(tmp_path / "file", 4)


@pytest.mark.parametrize("name", ["file", "file.partial"])
def test_writing_replaces_a_link_and_leaves_its_target(tmp_path, name):
    (tmp_path / "other").write_bytes(b"precious")
    (tmp_path / name).symlink_to(tmp_path / "other")
    plain_file.write(tmp_path / "file", "new", sync=True)
    assert (tmp_path / "other").read_bytes() == b"precious"
    assert (tmp_path / "file").read_bytes() == b"new"
    assert not (tmp_path / "file").is_symlink()


@pytest.mark.parametrize("size", [0, 1, 99])
def test_a_full_disk_leaves_the_earlier_content(tmp_path, size):
    plain_file.write(tmp_path / "file", "old")
    with seeded_faults.disk_full_at(size), pytest.raises(OSError, match="File too large"):
        plain_file.write(tmp_path / "file", "n" * 100)
    assert (tmp_path / "file").read_text() == "old"


def test_a_tree_with_a_link_at_any_depth_is_rejected_with_its_path(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("")
    plain_file.require_plain_tree(tmp_path)
    (tmp_path / "a" / "b" / "link").symlink_to(tmp_path)
    with pytest.raises(OSError, match="is a link") as refused:
        plain_file.require_plain_tree(tmp_path)
    assert refused.value.filename == str(tmp_path / "a" / "b" / "link")
