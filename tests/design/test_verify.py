"""Verification: every check has a number, and a test that should not be run is a no-go."""

import pytest

import dovetail as dv
from dovetail.design.verify import verify

GIVEN = {"margin": 5e-3, "required": 1e-3, "uncertainty": 0.0, "tolerance": 0.1}


def failed(found) -> list[str]:
    return [check.what for check in found.checks if not check.holds]


def test_a_comfortable_test_is_a_go(cs1):
    test = cs1(dv.transfer.Delay(0.5e-3))
    found = verify(test, test.emulate(), **{**GIVEN, "uncertainty": 0.2e-3})
    assert found.go
    assert found.accuracy < 0.05
    assert found.growth < 0
    assert any("0.2 ms later" in check.what for check in found.checks)
    assert "ok   margin: 5 ms of extra delay (wanted: 1 ms or more)" in map(str, found.checks)


def test_an_unstable_test_fails_where_it_should(cs1):
    test = cs1()
    found = verify(test, test.emulate(), **{**GIVEN, "margin": 0.0})
    assert not found.go
    assert {"sampled loop", "margin"} <= set(failed(found))


@pytest.mark.parametrize(
    ("limits", "what"),
    [({"displacement": 0.0095}, "displacement limit used"), ({"force": 22.0}, "force limit used")],
)
def test_a_limit_that_is_nearly_reached_is_a_no_go(cs1, limits, what):
    test = cs1(dv.transfer.Delay(0.5e-3), limits=dv.Limits(**limits))
    found = verify(test, test.emulate(), **GIVEN)
    assert failed(found) == [what]


def test_an_inaccurate_test_is_a_no_go(cs1):
    test = cs1(dv.transfer.Delay(3e-3))
    assert "error against the ideal" in failed(verify(test, test.emulate(), **{**GIVEN, "tolerance": 0.01}))
