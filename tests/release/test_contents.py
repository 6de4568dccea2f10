"""What a release lacks is noticed before anybody downloads it."""

import io
import runpy
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
contents = runpy.run_path(str(ROOT / "release" / "check_contents.py"))
LIBRARIES = [f"dovetail/links/{name}-{'0' * 16}.so" for name in ("native/tick", "fmi/fmu2", "fmi/fmu3")]
METADATA = (
    "Name: dovetail-hybrid\nVersion: 0.1.0\nLicense-Expression: BSD-3-Clause\nRequires-Python: >=3.11\n"
)
ABOUT = "dovetail_hybrid-0.1.0.dist-info/"


@pytest.fixture(scope="module")
def sources():
    return contents["tracked"]("src")


@pytest.fixture
def release(tmp_path, sources):
    """Writes a wheel and a source archive, less what is named."""

    def write(less=(), metadata=METADATA):
        inside = [*(file.removeprefix("src/") for file in sources), *LIBRARIES, f"{ABOUT}licenses/LICENSE"]
        with zipfile.ZipFile(tmp_path / "dovetail_hybrid-0.1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{ABOUT}METADATA", metadata)
            for name in inside:
                if name not in less:
                    wheel.writestr(name, "")
        with tarfile.open(tmp_path / "dovetail_hybrid-0.1.0.tar.gz", "w:gz") as archive:
            for name in [*sources, "pyproject.toml", "setup.py", "LICENSE", "README.md"]:
                if name not in less:
                    archive.addfile(tarfile.TarInfo(f"dovetail_hybrid-0.1.0/{name}"), io.BytesIO())
        return contents["faults"](tmp_path)

    return write


def test_a_whole_one_has_no_fault(release):
    assert release() == []


def test_data_libraries_and_licence_are_missed(release):
    lacking = (
        "dovetail/references.bib",
        "dovetail/links/native/wire.h",
        LIBRARIES[0],
        f"{ABOUT}licenses/LICENSE",
    )
    told = release(less=(*lacking, "src/dovetail/report/page.css"))
    assert told == [
        "the wheel lacks src/dovetail/links/native/wire.h",
        "the wheel lacks src/dovetail/references.bib",
        "the wheel lacks a library tick",
        "the wheel lacks its licence",
        "the source archive lacks src/dovetail/report/page.css",
    ]


def test_another_version_is_noticed(release):
    assert release(metadata=METADATA.replace("0.1.0", "0.2.0")) == [
        "the wheel has version 0.2.0; the project has 0.1.0"
    ]


def test_a_folder_without_files_is_no_release(tmp_path):
    (told,) = contents["faults"](tmp_path)
    assert "0 wheels and 0 source archives" in told
