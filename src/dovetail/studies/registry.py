"""Studies, tests and campaigns of the package, listed from their folders without importing them.

A study is a package in this folder with a `study.toml` (title, source, about). Its tests are the files
in its folder `tests/`, each with a `title`. The name of a test is study and file name: `substructuring/cs1`.
The campaigns of a study are the files in `campaigns/`, named in the same way.
`dovetail list` imports only this module and therefore does not wait for JAX.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class TestEntry:
    """Test file or campaign file of a study."""

    __test__ = False  # not a pytest class

    name: str  # as on the command line, "substructuring/cs1"
    title: str
    path: Path


@dataclass(frozen=True)
class Study:
    """Published system with its parameters, its tests and its reproduction targets."""

    name: str
    title: str
    source: str  # key of the study's source in references.bib
    about: str
    path: Path
    tests: tuple[TestEntry, ...]
    campaigns: tuple[TestEntry, ...] = ()


def studies(folder: Path = FOLDER) -> dict[str, Study]:
    """Return all studies by name, in alphabetical order."""
    return {file.parent.name: _study(file) for file in sorted(folder.glob("*/study.toml"))}


def all_tests(folder: Path = FOLDER) -> dict[str, TestEntry]:
    """Return the tests of all studies by name."""
    return {test.name: test for study in studies(folder).values() for test in study.tests}


def find_study(name: str, folder: Path = FOLDER) -> Study:
    """Return the study called `name`; the error for an unknown name lists the known ones."""
    files = {file.parent.name: file for file in sorted(folder.glob("*/study.toml"))}
    return _study(files[name]) if name in files else _unknown("study", name, files)


def sources_of(path: Path | str, folder: Path = FOLDER) -> dict[str, str]:
    """Return the study that contains a file and the key of its source; empty for a file outside the studies."""
    above = Path(path).resolve().parents
    files = (file for file in sorted(folder.glob("*/study.toml")) if file.parent in above)
    return {file.parent.name: _read(file)["source"] for file in files}


def find_test(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of the test called `name`; a name that ends in `.toml` is returned as a path."""
    if name.endswith(".toml"):
        return Path(name)
    known, campaigns = _files(folder, "tests"), _files(folder, "campaigns")
    if name not in known and name in campaigns:
        _other("test", name, "a campaign", "campaign")
    return known[name] if name in known else _unknown("test", name, known)


def load(what: str | Path, changes: dict[str, Any] | None = None) -> Any:
    """Read a test by its name in `dovetail list` or by its file; `changes` replaces values by parameter path.

    >>> load("substructuring/cs1", {"rig.actuator.delay": "6 ms"}).duration
    10.0
    """
    from dovetail import testing

    return testing.load(what if Path(what).is_file() else find_test(str(what)), changes)


def find_campaign(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of the campaign called `name`; a name that ends in `.toml` is returned as a path."""
    if name.endswith(".toml"):
        return Path(name)
    known, tests = _files(folder, "campaigns"), _files(folder, "tests")
    if name not in known and name in tests:
        _other("campaign", name, "a test", "run")
    return known[name] if name in known else _unknown("campaign", name, known)


def _files(folder: Path, kind: str) -> dict[str, Path]:
    """Return the files of the tests or campaigns of all studies by name, without reading them."""
    files = (file for study in sorted(folder.glob("*/study.toml")) for file in _listed(study.parent, kind))
    return {f"{file.parents[1].name}/{file.stem}": file for file in files}


def _listed(study: Path, kind: str) -> list[Path]:
    return sorted(study.glob(f"{kind}/*.toml"))


def _study(file: Path) -> Study:
    table = _read(file)
    tests, campaigns = (_entries(file.parent, kind) for kind in ("tests", "campaigns"))
    return Study(
        file.parent.name, table["title"], table["source"], table["about"], file.parent, tests, campaigns
    )


def _entries(folder: Path, kind: str) -> tuple[TestEntry, ...]:
    return tuple(
        TestEntry(f"{folder.name}/{file.stem}", _read(file).get("title", ""), file)
        for file in _listed(folder, kind)
    )


def _read(file: Path) -> dict:
    return tomllib.loads(file.read_text("utf-8"))


def _other(what: str, name: str, kind: str, command: str) -> NoReturn:
    from dovetail.core.errors import ParameterError

    raise ParameterError(f'"{name}" is {kind}, not a {what}; start it with: dovetail {command} {name}')


def _unknown(what: str, name: str, known: Iterable[str]) -> NoReturn:
    from dovetail.core.errors import (
        UnknownNameError,
    )  # not at the top: it imports JAX, which a listing does not need

    own = [other for other in known if other.startswith(name.partition("/")[0] + "/")]
    raise UnknownNameError(what, name, own or known)
