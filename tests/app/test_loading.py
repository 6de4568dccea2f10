"""Loading of named tests: changed values, and tests that cannot be run in a mode."""

import pytest

from dovetail.app.loading import load_test, parse_settings, require_test
from dovetail.core.errors import ParameterError, TestFileError


def test_settings_are_read_as_toml_or_text():
    assert parse_settings(["a.b=3", "c=[1, 2]", "d=7 ms", 'e="x"', "f=true"]) == {
        "a.b": 3,
        "c": [1, 2],
        "d": "7 ms",
        "e": "x",
        "f": True,
    }
    with pytest.raises(TestFileError, match="2 problems"):
        parse_settings(["a", "=3"])


def test_a_test_is_loaded_with_changed_values():
    assert load_test("substructuring/cs1", ["duration=2 s"]).duration == 2.0


@pytest.mark.parametrize(
    ("name", "mode", "reason"),
    [
        ("docking/map", None, "parameter map"),
        ("capture/swing", "rehearse", "simulation"),
        ("substructuring/cs1", "simulate", "hybrid test"),
    ],
)
def test_a_file_that_cannot_run_is_rejected_with_the_reason(name, mode, reason):
    with pytest.raises(ParameterError, match=reason):
        load_test(name, mode=mode)


def test_a_test_that_can_be_run_is_returned():
    test = load_test("substructuring/cs1")
    assert require_test("cs1", test, "rehearse") is test
