"""The sources of a test are those of its parts and its study, each with what it is there for."""

import dataclasses
import importlib
import pkgutil
from pathlib import Path
from typing import ClassVar

import pytest

import dovetail
from dovetail.core import Part
from dovetail.core.errors import UnknownNameError
from dovetail.studies import citation, find_study, studies


class Spring(Part):
    references: ClassVar[dict[str, str]] = {"newmark1959": "the spring"}


class Damper(Part):
    references: ClassVar[dict[str, str]] = {"hilber1977": "the damper", "newmark1959": "its step"}


class Pair(Part):
    parts: tuple
    named: dict


@dataclasses.dataclass
class Plain:
    inner: Part


def test_sources_of_all_nested_parts_are_collected_once():
    tree = Plain(Pair((Spring(), Spring()), {"left": Damper()}))
    assert citation.references(tree) == {
        "newmark1959": ["Spring: the spring", "Damper: its step"],
        "hilber1977": ["Damper: the damper"],
    }


def test_a_test_of_a_study_cites_the_study_first():
    path = find_study("substructuring").path / "tests" / "any.toml"
    found = citation.references(Pair((Spring(),), {}), path)
    assert list(found) == ["wallace2006thesis", "newmark1959"]


def test_a_test_outside_any_study_cites_its_parts_only(tmp_path):
    assert list(citation.references(Spring(), tmp_path / "mine.toml")) == ["newmark1959"]


def test_the_output_is_bibtex_with_a_sentence_above_each_entry():
    lines = citation.cite(Spring()).splitlines()
    assert lines[0] == "% Spring: the spring"
    assert lines[1] == "@article{newmark1959,"
    assert lines[-1] == "}"


def test_a_test_without_sources_cites_dovetail():
    text = citation.cite(Pair((), {}))
    assert text.startswith("%")
    assert "@software{dovetail," in text


def test_an_unknown_key_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no reference "newmark1995"; did you mean "newmark1959"'):
        citation.entry("newmark1995")


def test_every_entry_of_the_bibliography_is_found():
    text = (Path(dovetail.__file__).parent / "references.bib").read_text("utf-8")
    assert len(citation.bibliography()) == text.count("\n@") + text.startswith("@")


def test_every_cited_source_is_in_the_bibliography():
    for study in studies().values():
        citation.entry(study.source)
    for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
        for part in vars(importlib.import_module(module.name)).values():
            if isinstance(part, type):
                for key in getattr(part, "references", {}):
                    citation.entry(key)
