"""Verification: every check has a number, and a test that should not be run is a no-go."""

import pytest

import dovetail as dv
from dovetail.assess.verify import arrived, verify

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


def test_a_schedule_must_have_arrived_before_a_run_is_judged(cs1):
    ramp = {"feedback.share": dv.Ramp(begin=1.0, end=2.0, before=0.0, after=1.0)}
    wrong = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=500.0), share=0.0)
    test = cs1(dv.transfer.Delay(0.5e-3), feedback=wrong, schedule=ramp, duration=10.0)
    assert arrived(test) == 4.0
    assert arrived(cs1()) == 0.0
    # a wrong model in the beginning does not count against the test
    assert verify(test, test.emulate(), **GIVEN).accuracy < 0.05


def test_poles_at_rest_are_no_verdict_on_a_specimen_that_is_not_linear(cs1):
    test = cs1(duration=0.5)
    found = verify(test, test.emulate(), **GIVEN, by_rehearsal=True)
    assert "sampled loop" not in failed(found)
    assert "no verdict" in str(found.checks[0])
