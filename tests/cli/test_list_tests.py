"""Lists of studies, capabilities and references."""

import json


def test_every_test_has_a_line(dovetail):
    code, out, _ = dovetail("list")
    assert code == 0
    assert "substructuring/cs1 " in out
    assert "CS1: one mass, a spring as specimen" in out


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
