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


PLATFORM, ANY = (f"dovetail_hybrid-0.1.0-py3-none-{tag}.whl" for tag in ("manylinux_2_34_x86_64", "any"))


@pytest.fixture
def release(tmp_path, sources):
    """Writes two wheels and a source archive, without the named files."""

    def write(without=(), metadata=METADATA, libraries=(PLATFORM,)):
        for name in (PLATFORM, ANY):
            files = [*(file.removeprefix("src/") for file in sources), f"{ABOUT}licenses/LICENSE"]
            files += LIBRARIES if name in libraries else []
            with zipfile.ZipFile(tmp_path / name, "w") as wheel:
                wheel.writestr(f"{ABOUT}METADATA", metadata)
                for file in files:
                    if file not in without:
                        wheel.writestr(file, "")
        with tarfile.open(tmp_path / "dovetail_hybrid-0.1.0.tar.gz", "w:gz") as archive:
            for name in [*sources, "pyproject.toml", "setup.py", "LICENSE", "README.md"]:
                if name not in without:
                    archive.addfile(tarfile.TarInfo(f"dovetail_hybrid-0.1.0/{name}"), io.BytesIO())
        return contents["faults"](tmp_path)

    return write


def test_a_complete_release_has_no_fault(release):
    assert release() == []


def test_missing_data_libraries_and_licence_are_reported(release):
    missing = (
        "dovetail/references.bib",
        "dovetail/links/native/wire.h",
        LIBRARIES[0],
        f"{ABOUT}licenses/LICENSE",
    )
    assert set(release(without=(*missing, "src/dovetail/report/page.css"))) == {
        f"{PLATFORM} lacks a library tick",
        *(
            f"{wheel} lacks dovetail/{file}"
            for wheel in (PLATFORM, ANY)
            for file in ("links/native/wire.h", "references.bib")
        ),
        *(f"{wheel} lacks its licence" for wheel in (PLATFORM, ANY)),
        "the source archive lacks src/dovetail/report/page.css",
    }


def test_libraries_in_the_wheel_for_every_platform_are_reported(release):
    assert release(libraries=(PLATFORM, ANY)) == [
        f"{ANY} contains a library {kind}" for kind in ("tick", "fmu2", "fmu3")
    ]


def test_another_version_is_reported(release):
    assert release(metadata=METADATA.replace("0.1.0", "0.2.0")) == [
        f"{wheel} has version 0.2.0; the project has 0.1.0" for wheel in (ANY, PLATFORM)
    ]


def test_a_folder_without_files_is_not_a_release(tmp_path):
    (message,) = contents["faults"](tmp_path)
    assert "got no file" in message
