"""Every install command in pages, source and messages names the distribution of pyproject.toml."""

import re
import tomllib
from pathlib import Path

import dovetail

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME = PROJECT["name"]
INSTALL = re.compile(r"(?:pip|pipx|uv pip|uv tool) install +(?:-\S+ +)*([\"']?)([^\s\"'`;)]+)")
RUN = re.compile(r"(?:uvx|pipx run) +(?:(?:--from|--spec) +)?([\w.-]+)")


def texts():
    """Files that people read or that print messages."""
    yield from (
        ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "Dockerfile")
    )
    for folder, pattern in (("docs", "*.md"), ("src", "*.py"), ("examples", "*.md")):
        yield from (
            file
            for file in (ROOT / folder).rglob(pattern)
            if not {"_build", "gallery", "generated"} & {*file.relative_to(ROOT).parts}
        )


def lines():
    """File and package of every install line that installs Dovetail."""
    for file in texts():
        text = file.read_text("utf-8")
        packages = [match[2] for match in INSTALL.finditer(text)] + [match[1] for match in RUN.finditer(text)]
        yield from (
            (str(file.relative_to(ROOT)), package) for package in packages if "dovetail" in package.lower()
        )


def test_every_install_line_names_the_distribution():
    found = list(lines())
    assert len(found) > 12
    wheel = NAME.replace("-", "_")
    wrong = [
        line
        for line in found
        if not re.match(rf"{NAME}(?![\w-])|{wheel}-{re.escape(PROJECT['version'])}-", line[1])
    ]
    assert not wrong


def test_install_lines_never_name_the_other_project():
    """`dovetail` on the package index is another project."""
    assert NAME == "dovetail-hybrid"
    assert all(need.startswith(f"{NAME}[") for need in PROJECT["optional-dependencies"]["all"])
    assert PROJECT["scripts"] == {"dovetail": "dovetail.cli.process:process"}


def test_version_is_the_same_in_package_and_project():
    assert dovetail.__version__ == PROJECT["version"]


def test_lock_excludes_the_distribution_itself():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert f"--exclude {NAME}\n" in makefile
    for file in ROOT.glob("requirements*.txt"):
        assert not re.search(r"^dovetail", file.read_text("utf-8"), re.M), file.name
