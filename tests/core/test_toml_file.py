"""A TOML file is read, or refused with a reason."""

import os
import tracemalloc
from pathlib import Path

import pytest

from dovetail.core.errors import OutputError, TestFileError
from dovetail.core.toml_file import MAX_DEPTH, MAX_NAMES, read_toml


def written(tmp_path, data):
    path = tmp_path / "some.toml"
    path.write_bytes(data)
    return path


def test_a_table_is_read(tmp_path):
    assert read_toml(written(tmp_path, b"a = 1\n[b]\nc = [2]\n"), "test file") == {"a": 1, "b": {"c": [2]}}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a = ", "file   is not TOML"),
        (b"a = " + b"9" * 5000, "file   is not TOML: Exceeds the limit"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, f"more than {MAX_DEPTH} deep"),
        (b"a = " + b"[" * 60 + b"]" * 60, f"more than {MAX_DEPTH} deep"),
    ],
)
def test_a_file_that_is_not_toml_is_rejected(tmp_path, data, text):
    with pytest.raises(TestFileError, match=f"(?s)some.toml: 1 problem.*{text}"):
        read_toml(written(tmp_path, data), "test file")


@pytest.mark.parametrize(
    "key", ["a" + ".a" * 50_000, "[" + "a . " * 30 + "a]\nb", "x = { " + "'q'." * 25 + "b"]
)
def test_a_key_of_many_names_is_rejected_before_it_is_parsed(tmp_path, key):
    tracemalloc.start()
    with pytest.raises(TestFileError, match=f"a key has more than {MAX_NAMES} names") as refused:
        read_toml(written(tmp_path, f"{key} = 1".encode()), "test file")
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()
    assert len(str(refused.value)) < 200


def test_dots_in_texts_are_read(tmp_path):
    text = "." * 100 + "a." * 100
    assert read_toml(written(tmp_path, f'a = "{text}" # {text}'.encode()), "test file") == {"a": text}


def test_devices_pipes_and_huge_files_are_rejected(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "huge", "wb") as huge:
        huge.truncate(2**40)
    for path in (tmp_path / "pipe", tmp_path / "huge", Path("/dev/zero")):
        with pytest.raises(OutputError, match="cannot be read .*(a device, a pipe|is larger than)"):
            read_toml(path, "test file")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = 1\n\xff"])
def test_a_file_that_is_not_text_is_rejected(tmp_path, data):
    with pytest.raises(OutputError, match="cannot be read .*campaign file"):
        read_toml(written(tmp_path, data), "campaign file")


def test_a_missing_file_and_an_invalid_path_are_rejected(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(OutputError, match="cannot be read"):
            read_toml(path, "test file")
