"""The licence of what an extra brings is named wherever the extra is, and the container has Debian's ffmpeg."""

import re
from pathlib import Path

import pytest

from dovetail.cli.doctor import EXTRAS

ROOT = Path(__file__).parents[2]
LICENCES = {"film": "GPL", "opensees": "commercial redistribution"}


@pytest.mark.parametrize("extra", LICENCES)
def test_every_place_that_names_an_extra_names_the_licence_of_what_it_brings(extra):
    name = re.compile(rf"dovetail-hybrid\[{extra}\]|^{extra} = |^\| `{extra}` \|", re.MULTILINE)
    files = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "pyproject.toml"]
    files += (ROOT / "src" / "dovetail").rglob("*.py")
    lines = [line for file in files for line in file.read_text("utf-8").splitlines() if name.search(line)]
    without = [line for line in lines if LICENCES[extra] not in line]
    assert len(lines) > 2
    assert not without
    assert LICENCES[extra] in EXTRAS[extra][1]


def test_the_container_has_the_ffmpeg_of_debian():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert re.search(r"apt-get install .*ffmpeg", text)
    assert "uninstall --yes imageio-ffmpeg" in text
    assert "film" not in re.findall(r"\.whl\)\[(.*?)\]", text)[0]
