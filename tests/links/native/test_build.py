"""The native tick is built on first use, once, and what is missing is told."""

import pytest

from dovetail.core.errors import LinkError
from dovetail.links.native import build
from dovetail.links.shared_library import Library


@pytest.fixture
def of_a_clone(monkeypatch):
    """No library came with the package, as in a clone."""
    monkeypatch.setattr(Library, "packaged_library", lambda library: None)


needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="no C++ compiler")


@pytest.mark.slow
@needs_compiler
def test_the_library_is_built_once_and_cached(tmp_path, monkeypatch, of_a_clone):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    first = build.library_path()
    assert first.parent == tmp_path / "cache" / "native"
    assert {file.name for file in first.parent.iterdir()} == {first.name, "seals"}
    stamp = first.stat().st_mtime_ns
    monkeypatch.setattr(build, "compiler", lambda: None)  # the second time it is not needed
    assert build.library_path() == first
    assert first.stat().st_mtime_ns == stamp


def test_code_is_not_loaded_from_a_folder_that_others_can_write_to(tmp_path, monkeypatch, of_a_clone, caplog):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    planted = build.cache_folder() / build.TICK.name(build.metadata.version("jaxlib"))
    planted.parent.mkdir(mode=0o777)
    planted.parent.chmod(0o777)
    planted.write_text("of somebody else")
    monkeypatch.setattr(build, "build", lambda target: target.touch())
    assert build.library_path().parent != planted.parent
    assert f"chmod go-w {planted.parent}" in caplog.text


def test_a_library_without_a_seal_is_built_again(tmp_path, monkeypatch, of_a_clone):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    planted = build.cache_folder() / build.TICK.name(build.metadata.version("jaxlib"))
    planted.parent.mkdir()
    planted.write_text("of somebody else")
    monkeypatch.setattr(build, "build", lambda target: target.write_text("of this user"))
    assert build.library_path() == planted
    assert planted.read_text() == "of this user"
    monkeypatch.setattr(build, "build", None)  # the sealed library is loaded as it is
    assert build.library_path() == planted


def test_a_missing_compiler_is_reported_with_the_package_to_install(tmp_path, monkeypatch, of_a_clone):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "compiler", lambda: None)
    with pytest.raises(LinkError, match="install g\\+\\+ or clang"):
        build.library_path()


def test_a_compiler_that_fails_is_quoted(tmp_path, monkeypatch, of_a_clone):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\necho 'no such thing' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(LinkError, match="could not build the native tick:\nno such thing"):
        build.library_path()


def test_the_environment_sets_the_cache_folder(monkeypatch):
    monkeypatch.delenv("DOVETAIL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert str(build.cache_folder()) == "/elsewhere/dovetail/native"


def test_an_unsupported_system_is_reported(monkeypatch):
    monkeypatch.setattr(build.platform, "system", lambda: "Plan 9")
    with pytest.raises(LinkError, match="requires Linux; this system is Plan 9"):
        build.library_path()


def test_the_library_of_the_package_needs_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "compiler", lambda: None)
    (tmp_path / build.TICK.name()).touch()
    monkeypatch.setattr(Library, "packaged_library", lambda library: tmp_path / library.name())
    assert build.library_path() == tmp_path / build.TICK.name()
    assert build.origin() == "from the package"
    monkeypatch.setattr(Library, "packaged_library", lambda library: None)
    assert build.origin() == "built on this machine"
