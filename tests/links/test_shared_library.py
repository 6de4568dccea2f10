"""A shared library is taken from the package if it was made from the sources there, and compiled otherwise."""

import ctypes
import pkgutil
import shutil
import sys

import pytest

from dovetail.core.errors import LinkError
from dovetail.links.shared_library import FOLDER, Library

COMPILER = shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")
ROOM = "room_of_a_library"


@pytest.fixture
def library(tmp_path, monkeypatch):
    package = tmp_path / ROOM
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "six.c").write_text('#include "six.h"\nint six(void) { return 2 * THREE; }\n')
    (package / "six.h").write_text("#define THREE 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, ROOM, raising=False)
    return package, Library("the six", ROOM, "six", ("six.c",), ("six.h",))


@needs_compiler
def test_the_packaged_library_is_used(library):
    package, six = library
    assert six.packaged_library() is None
    six.build(package / FOLDER / six.name(), COMPILER)
    assert six.packaged_library() == package / FOLDER / six.name()
    assert ctypes.CDLL(str(six.packaged_library())).six() == 6
    assert [file.name for file in (package / FOLDER).iterdir()] == [six.name()]
    assert not [found.name for found in pkgutil.iter_modules([str(package)])]


@pytest.mark.parametrize("file", ["six.c", "six.h"])
def test_a_library_of_other_sources_is_not_used(library, file):
    package, six = library
    (package / FOLDER).mkdir()
    (package / FOLDER / six.name()).touch()
    assert six.packaged_library()
    with (package / file).open("a") as source:
        source.write("// another\n")
    assert six.packaged_library() is None


def test_the_file_name_contains_compiler_and_flags(library):
    names = {library[1].name(), library[1].name("jaxlib 1"), library[1].name("jaxlib 2")}
    assert len(names) == 3


@needs_compiler
def test_a_compiler_error_is_quoted_and_leaves_no_file(library, tmp_path):
    package, six = library
    (package / "six.c").write_text("no C at all")
    with pytest.raises(LinkError, match="could not build the six:\n"):
        six.build(tmp_path / "made" / "six.so", COMPILER)
    assert list((tmp_path / "made").iterdir()) == []


@needs_compiler
def test_an_unwritable_folder_is_reported(library, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LinkError, match="the six cannot be built"):
        library[1].build(tmp_path / "file" / "six.so", COMPILER)
