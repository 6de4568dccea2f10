"""The error tree: its texts."""

import pytest

from dovetail.core import errors
from dovetail.core.errors import DovetailError, Fault, TestFileError, UnknownNameError, did_you_mean


def test_every_error_is_a_dovetail_error_and_documented():
    names = [n for n in dir(errors) if n.endswith(("Error", "Fault")) and n not in ("Fault", "DovetailError")]
    assert len(names) >= 8
    for name in names:
        assert issubclass(getattr(errors, name), DovetailError)
        assert name in errors.__doc__


def test_a_file_error_lists_every_fault_with_its_place():
    error = TestFileError("drogue.toml", [Fault("rig.delay", "got -1"), Fault("rate", "is missing")])
    assert str(error) == "drogue.toml: 2 problems\n  rig.delay   got -1\n  rate        is missing"
    assert str(TestFileError("a.toml", [Fault("x", "y")])).startswith("a.toml: 1 problem\n")


def test_an_unknown_name_lists_the_known_ones():
    assert str(UnknownNameError("signal", "q", ["b", "a"])) == 'no signal "q"; known: a, b'
    assert str(UnknownNameError("signal", "q", [])) == 'no signal "q"; known: none'


@pytest.mark.parametrize(("name", "hint"), [("duraton", 'did you mean "duration"? '), ("xyz", "")])
def test_near_misses_are_suggested(name, hint):
    assert did_you_mean(name, ["duration", "rate"]) == hint
