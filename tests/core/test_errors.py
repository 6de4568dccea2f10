"""Errors and their texts."""

import pytest

from dovetail.core import errors
from dovetail.core.errors import (
    DovetailError,
    Fault,
    ParameterError,
    TestFileError,
    UnknownNameError,
    collect_faults,
    did_you_mean,
    format_value,
)


def test_every_error_is_a_dovetail_error_and_documented():
    names = [n for n in dir(errors) if n.endswith(("Error", "Fault")) and n not in ("Fault", "DovetailError")]
    assert len(names) >= 8
    for name in names:
        assert issubclass(getattr(errors, name), DovetailError)
        assert name in errors.__doc__


def test_a_file_error_lists_every_fault_with_its_path():
    error = TestFileError("drogue.toml", [Fault("rig.delay", "got -1"), Fault("rate", "is missing")])
    assert str(error) == "drogue.toml: 2 problems\n  rig.delay   got -1\n  rate        is missing"
    assert str(TestFileError("a.toml", [Fault("x", "y")])).startswith("a.toml: 1 problem\n")


def test_a_message_is_bounded_however_long_the_names_and_values_are():
    long, known = "x" * 100_000, [f"name{i}" for i in range(1000)]
    assert len(str(UnknownNameError("kind", long, known))) < 400
    faults = [Fault(long, long), Fault("rate", str(UnknownNameError("kind", long, known)))]
    text = str(TestFileError("a.toml", faults * 1000))
    assert text.startswith("a.toml: 2000 problems\n")
    assert len(text) < 150_000


def test_an_unknown_name_lists_the_known_ones():
    assert str(UnknownNameError("signal", "q", ["b", "a"])) == 'no signal "q"; known: a, b'
    assert str(UnknownNameError("signal", "q", [])) == 'no signal "q"; known: none'


@pytest.mark.parametrize(("name", "hint"), [("duraton", 'did you mean "duration"? '), ("xyz", "")])
def test_similar_names_are_suggested(name, hint):
    assert did_you_mean(name, ["duration", "rate"]) == hint


def test_an_error_in_a_check_becomes_a_fault_at_its_path():
    def refuse():
        raise ParameterError("got -1")

    def several():
        raise TestFileError("file", [Fault("a", "x"), Fault("b", "y")])

    assert collect_faults("rig", lambda: [Fault("rig.delay", "too long")]) == [Fault("rig.delay", "too long")]
    assert collect_faults("rig", refuse) == [Fault("rig", "got -1")]
    assert collect_faults("rig", several) == [Fault("a", "x"), Fault("b", "y")]
    (fault,) = collect_faults("rig", lambda: 1 // 0)
    assert fault.path == "rig"
    assert fault.text.startswith("these values cannot be used together (ZeroDivisionError: ")


def test_a_long_value_is_shortened_in_messages():
    assert format_value("rk5") == '"rk5"'
    assert format_value([1, 2]) == "[1, 2]"
    assert len(format_value(10**400)) < 80
    assert "(401 characters)" in format_value(10**400)
