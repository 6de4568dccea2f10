"""Every command responds, and errors are printed as one message."""

import gc

import pytest

from dovetail import __version__


def test_help_lists_the_commands(dovetail):
    code, out, _ = dovetail("--help")
    assert code == 0
    for command in ("list", "run", "check", "reproduce", "cite", "doctor", "demo"):
        assert command in out
    assert "capabilities" not in out  # hidden


def test_an_unknown_command_is_reported(dovetail):
    code, _, err = dovetail("rnu")
    assert code == 2
    assert "rnu" in err


def test_an_unexpected_error_is_not_hidden(dovetail, monkeypatch):
    import dovetail.cli.list_tests as listing

    def broken():
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(listing, "print_studies", broken)
    with pytest.raises(ZeroDivisionError):
        dovetail("list")


def test_an_interrupted_command_reports_it(dovetail, monkeypatch):
    import dovetail.cli.list_tests as listing

    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(listing, "print_studies", stopped)
    code, _, err = dovetail("list")
    assert (code, err) == (130, "interrupted\n")


def test_a_traceback_is_shown_on_request(dovetail, monkeypatch):
    from dovetail.core.errors import UnknownNameError

    monkeypatch.setenv("DOVETAIL_TRACEBACK", "1")
    with pytest.raises(UnknownNameError):
        dovetail("check", "substructuring/cs99")


def test_an_unknown_test_lists_the_known_ones(dovetail):
    code, _, err = dovetail("run", "substructuring/cs11")
    assert code == 2
    assert err.startswith('dovetail: no test "substructuring/cs11"; did you mean "substructuring/cs1"?')


def test_the_version_is_printed():
    assert __version__.count(".") == 2


def test_a_command_collects_garbage_rarely(dovetail):
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as Python begins
    try:
        assert dovetail("--version")[0] == 0
        assert gc.get_threshold()[0] > 10_000
    finally:
        gc.set_threshold(*before)
