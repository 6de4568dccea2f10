"""Studies and tests are found by reading folders, and unknown names are answered with the known ones."""

import subprocess
import sys

import pytest

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.toml_file import read_toml
from dovetail.studies import find_study, find_test, load, registry, studies


@pytest.fixture
def folder(tmp_path):
    for study, tests in {"swings": ["push", "pull"], "bridges": []}.items():
        (tmp_path / study / "tests").mkdir(parents=True)
        (tmp_path / study / "study.toml").write_text(
            f'title = "The {study}"\nsource = "someone1999"\nabout = "what {study} do"\n'
        )
        for name in tests:
            (tmp_path / study / "tests" / f"{name}.toml").write_text(f'title = "To {name}"\n')
    (tmp_path / "not_a_study").mkdir()
    return tmp_path


def test_a_folder_with_a_study_file_is_a_study_and_no_other(folder):
    found = registry.studies(folder)
    assert list(found) == ["bridges", "swings"]
    assert found["swings"].title == "The swings"
    assert found["swings"].source == "someone1999"
    assert found["bridges"].tests == ()


def test_tests_are_named_by_study_and_file(folder):
    found = registry.all_tests(folder)
    assert list(found) == ["swings/pull", "swings/push"]
    assert found["swings/push"].title == "To push"
    assert find_test("swings/push", folder) == folder / "swings" / "tests" / "push.toml"


def test_a_name_that_ends_in_toml_is_taken_as_a_file(folder):
    assert str(find_test("somewhere/mine.toml", folder)) == "somewhere/mine.toml"


def test_an_unknown_test_lists_the_known_ones_with_the_near_miss(folder):
    with pytest.raises(UnknownNameError) as error:
        find_test("swings/pish", folder)
    assert str(error.value) == (
        'no test "swings/pish"; did you mean "swings/push"? known: swings/pull, swings/push'
    )


def test_campaigns_and_tests_are_distinguished(folder):
    (folder / "swings" / "campaigns").mkdir()
    (folder / "swings" / "campaigns" / "pushes.toml").write_text('title = "Many"\n')
    with pytest.raises(ParameterError, match="campaign.*dovetail campaign swings/pushes"):
        find_test("swings/pushes", folder)
    with pytest.raises(ParameterError, match="test.*dovetail run swings/push"):
        registry.find_campaign("swings/push", folder)


def test_an_unknown_study_lists_the_known_ones(folder):
    with pytest.raises(UnknownNameError, match='no study "ships"; known: bridges, swings'):
        find_study("ships", folder)


def test_every_study_has_a_description():
    assert "substructuring" in studies()
    for study in studies().values():
        assert all((study.title, study.source, study.about))
        assert all(test.title for test in study.tests), f"a test of {study.name} has no title"


def test_listing_does_not_import_jax():
    code = (
        "import sys, dovetail.studies as s; s.studies(); s.all_tests(); s.capabilities(); s.load_targets(); "
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_test_is_loaded_by_the_name_that_is_listed_or_by_its_file(tmp_path):
    named = load("substructuring/cs1", {"rig.actuator.delay": "6 ms"})
    assert float(named.rig.actuator.delay) == 6e-3
    own = tmp_path / "mine"  # a file needs no ending to be one
    own.write_text(find_test("substructuring/cs1").read_text("utf-8"), "utf-8")
    assert load(own).title == named.title
    with pytest.raises(UnknownNameError, match="cs1"):
        load("substructuring/cs1x")


def test_every_hybrid_test_states_what_it_accepts_and_why():
    hybrid = {name: read_toml(entry.path, "test") for name, entry in registry.all_tests().items()}
    hybrid = {name: table for name, table in hybrid.items() if "rig" in table and table.get("kind") != "cell"}
    assert len(hybrid) > 40
    for name, table in hybrid.items():
        accept = table.get("accept", {})
        assert set(accept) - {"reason"}, f"{name}: no criterion"
        assert accept.get("reason"), f"{name}: no reason"
