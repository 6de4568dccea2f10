"""Lists: studies, targets, capabilities, literature."""

import json
import re

from dovetail.studies import reproduction


def test_every_test_has_a_line(dovetail):
    code, out, _ = dovetail("list")
    assert code == 0
    assert "substructuring/cs1 " in out
    assert "CS1: one mass, a spring as specimen" in out


def test_reproduction_as_json_has_the_agreed_keys(dovetail, monkeypatch):
    some = [t for t in reproduction.targets("substructuring") if t.id in ("R01", "R02")]
    monkeypatch.setattr(reproduction, "targets", lambda study, folder=None: some)
    code, out, _ = dovetail("reproduce", "substructuring", "--json")
    rows = json.loads(out)
    assert code == 0
    assert {row["id"] for row in rows} == {"R01", "R02"}
    keys = "study id origin kind what expected got tolerance status source note"
    assert all(set(row) == set(keys.split()) for row in rows)
    assert all(row["status"] == "met" for row in rows)


def test_reproduction_as_a_table_counts_what_is_met_by_origin_and_kind(dovetail, monkeypatch):
    some = [t for t in reproduction.targets("substructuring") if t.id == "R01"]
    monkeypatch.setattr(reproduction, "targets", lambda study, folder=None: some)
    code, out, _ = dovetail("reproduce", "substructuring")
    assert code == 0
    assert re.search(r"^origin +independent +fitted", out, re.M)
    assert re.search(r"^printed +1 of 1$", out, re.M)


def test_a_missed_target_is_an_exit_code(dovetail, monkeypatch):
    import dataclasses

    some = [t for t in reproduction.targets("substructuring") if t.id == "R01"][:1]
    wrong = [dataclasses.replace(t, expected=[1e9] if isinstance(t.expected, list) else 1e9) for t in some]
    monkeypatch.setattr(reproduction, "targets", lambda study, folder=None: wrong)
    code, out, _ = dovetail("reproduce", "substructuring")
    assert code == 1
    assert re.search(r"^printed +0 of 1$", out, re.M)


def test_capabilities_as_json_have_the_agreed_keys(dovetail):
    code, out, _ = dovetail("capabilities", "--json")
    rows = json.loads(out)
    assert code == 0
    assert all(set(row) == {"id", "study", "core", "text", "works", "tests"} for row in rows)
    assert {row["id"].split("-")[0] for row in rows} == {"SUB", "DCK", "ROP", "DRG", "SHP"}


def test_capabilities_of_one_study_are_counted(dovetail):
    code, out, _ = dovetail("capabilities", "substructuring")
    assert code == 0
    assert "of 50 work" in out


def test_a_test_s_literature_is_printed_as_bibtex(dovetail):
    code, out, _ = dovetail("cite", "substructuring/cs1")
    assert code == 0
    assert "@phdthesis{wallace2006thesis" in out


def test_an_unknown_study_is_told(dovetail):
    code, _, err = dovetail("reproduce", "substructurin")
    assert code == 2
    assert 'did you mean "substructuring"?' in err
