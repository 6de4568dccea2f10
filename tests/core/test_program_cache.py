"""Compiled programs are kept between processes, in a folder that nobody else can put code into."""

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from dovetail.core import program_cache
from dovetail.core.program_cache import Programs

CODE = """
import jax, jax.numpy as jnp
seen = []
jax.monitoring.register_event_listener(lambda event, **about: seen.append(event))
import dovetail.core
print(float(jax.jit(lambda x: jnp.sin(x) + 1)(0.25)))
print(sum(event.endswith("cache_hits") for event in seen))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(program_cache.JAX_VARIABLE, raising=False)
    monkeypatch.delenv(program_cache.FOLDER_VARIABLE, raising=False)
    return tmp_path


def process(**environment) -> tuple[str, int, str]:
    """What a fresh process computes, how many programs it found, and what it says."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value, hits = done.stdout.split()
    return value, int(hits), done.stderr


def test_the_next_process_uses_the_program_and_a_damaged_one_is_compiled_again(home):
    value, hits, said = process()
    assert (hits, said) == (0, "")
    assert program_cache.folder().stat().st_mode & 0o777 == 0o700
    assert process() == (value, 1, "")
    for file in program_cache.folder().iterdir():
        file.write_bytes(file.read_bytes()[:-7] + b"another")
    again, hits, said = process()
    assert (again, hits) == (value, 0)
    assert said.count("damaged") == 1
    assert process() == (value, 1, "")  # it was put right


def test_a_folder_of_another_version_is_ignored_with_one_remark(home):
    other = home / "dovetail" / "programs-0.0.1-abc"
    other.mkdir(parents=True)
    _, _, said = process()
    assert "programs stored by jaxlib 0.0.1 cannot be used by" in said
    assert said.count("\n") == 1
    _, hits, said = process()
    assert (hits, said) == (1, "")


def test_the_user_can_set_the_cache_folder(home, monkeypatch):
    monkeypatch.setenv(program_cache.FOLDER_VARIABLE, str(home / "mine"))
    assert program_cache.folder().parent == home / "mine"


def test_the_user_can_set_or_disable_the_folder_of_jax(home):
    process(**{program_cache.JAX_VARIABLE: ""})
    process(**{program_cache.JAX_VARIABLE: str(home / "elsewhere")})
    assert not (home / "dovetail").exists()
    assert (home / "elsewhere").is_dir()


@pytest.fixture
def place(home):
    folder = program_cache.folder()
    folder.mkdir(parents=True, mode=0o700)
    return folder


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707])
def test_a_folder_that_others_can_open_is_not_used(place, mode):
    place.chmod(mode)
    assert (
        program_cache.folder_fault(place)
        == f"other users can write code to {place}; close it: chmod 700 {place}"
    )
    place.chmod(0o700)
    assert program_cache.folder_fault(place) == ""


def test_a_folder_of_another_user_or_a_link_to_one_is_not_used(place, monkeypatch, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(place)
    assert "is not a directory" in program_cache.folder_fault(link)
    monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
    assert "belongs to another user" in program_cache.folder_fault(place)


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    why = program_cache.folder_fault(tmp_path / "file" / "programs")
    assert why.endswith("cannot be created (not a directory)")


def test_an_unused_folder_gives_one_remark_and_does_not_change_jax(place, monkeypatch, caplog):
    place.chmod(0o755)
    changed = []
    config = SimpleNamespace(
        values={"jax_compilation_cache_dir": None}, update=lambda *each: changed.append(each)
    )
    monkeypatch.setattr(program_cache, "jax", SimpleNamespace(config=config))
    program_cache.enable()
    assert changed == []
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "compiled programs are not stored"
    ]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_read_only_cache_is_read_with_one_remark(place, monkeypatch, caplog, number):
    programs = Programs(place)
    programs.put("first", b"code")

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(program_cache.tempfile, "mkstemp", refuse)
    for _ in range(3):
        programs.put("second", b"more code")
    assert programs.get("first") == b"code"
    assert programs.get("second") is None
    assert [record.getMessage() for record in caplog.records] == [
        f"compiled programs are not stored ({os.strerror(number).lower()}): {place}"
    ]


def test_a_full_disk_leaves_no_partial_program(place, monkeypatch, caplog):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(program_cache.os, "replace", full)
    Programs(place).put("key", b"code")
    assert list(place.iterdir()) == []
    assert "no space left on device" in caplog.text


def test_least_recently_used_programs_are_deleted_first(place, monkeypatch):
    monkeypatch.setattr(program_cache, "MAX_SIZE", 1000)
    programs = Programs(place)
    for i in range(6):
        programs.put(f"p{i}", bytes(168))  # 200 with its checksum: five fit
        os.utime(place / f"p{i}.program", (i, i)) if i < 5 else None
    left = {file.stem for file in place.iterdir()}
    assert left == {"p2", "p3", "p4", "p5"}  # down to nine tenths
