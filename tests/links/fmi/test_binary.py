"""The binary of an FMU: from the package, else compiled; what is missing is told."""

import shutil
import sys

import pytest

from dovetail.core.errors import LinkError
from dovetail.links.fmi import binary
from dovetail.links.shared_library import Library


@pytest.mark.parametrize("version", binary.BINARIES)
def test_the_packaged_binary_is_copied_without_a_compiler(tmp_path, monkeypatch, version):
    came = tmp_path / "came.so"
    came.write_bytes(version.encode())
    monkeypatch.setattr(Library, "packaged_library", lambda library: came)
    monkeypatch.setattr(binary.shutil, "which", lambda name: None)
    binary.write_binary(tmp_path / "model.so", version)
    assert (tmp_path / "model.so").read_bytes() == version.encode()


def test_a_missing_compiler_is_reported_with_the_package_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(Library, "packaged_library", lambda library: None)
    pytest.importorskip("fmpy")
    monkeypatch.setattr(binary.shutil, "which", lambda name: None)
    with pytest.raises(LinkError, match="install gcc or clang"):
        binary.write_binary(tmp_path / "model.so", "2.0")


def test_a_missing_fmpy_is_reported_with_the_install_line(tmp_path, monkeypatch):
    monkeypatch.setattr(Library, "packaged_library", lambda library: None)
    monkeypatch.setitem(sys.modules, "fmpy", None)
    with pytest.raises(LinkError, match=r'pip install "dovetail-hybrid\[fmi\]"'):
        binary.write_binary(tmp_path / "model.so", "3.0")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_two_versions_are_two_binaries(tmp_path):
    pytest.importorskip("fmpy")
    for version in binary.BINARIES:
        binary.write_binary(tmp_path / f"{version}.so", version)
    assert b"fmi2DoStep" in (tmp_path / "2.0.so").read_bytes()
    assert b"fmi3DoStep" in (tmp_path / "3.0.so").read_bytes()
