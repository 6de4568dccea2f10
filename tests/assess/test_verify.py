"""Verification: every check has a number, and a test that should not be run is a no-go."""

from types import SimpleNamespace

import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.assess.verify import accepted, comparison_start, verify
from dovetail.specimens.base import Memoryless
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.acceptance import AcceptedSignal

GIVEN = {"required": 1e-3, "uncertainty": 0.0, "accept": dv.Accept(response_error=0.1)}


def verified(test, **changes):
    return verify(test, test.reference(), assessment=test.stability(), **GIVEN | changes)


def failed(found) -> list[str]:
    return [check.what for check in found.checks if not check.passed]


def test_a_test_with_large_margin_is_a_go(cs1):
    test = cs1(dv.transfer.Delay(0.5e-3))
    found = verified(test, uncertainty=0.2e-3)
    assert found.go
    assert found.accuracy < 0.05
    assert found.growth < 0
    assert any("0.2 ms more rig delay" in check.what for check in found.checks)
    assert "ok   margin: delay margin 5.77 ms (limit: 1 ms or more)" in map(str, found.checks)


def test_an_unstable_test_fails_the_stability_criterion(cs1):
    test = cs1()
    found = verified(test)
    assert not found.go
    assert {"sampled loop", "margin"} <= set(failed(found))


@pytest.mark.parametrize(
    ("limits", "what"),
    [({"displacement": 0.0095}, "displacement limit used"), ({"force": 22.0}, "force limit used")],
)
def test_a_limit_that_is_nearly_reached_is_a_no_go(cs1, limits, what):
    test = cs1(dv.transfer.Delay(0.5e-3), limits=dv.Limits(**limits))
    found = verified(test)
    assert failed(found) == [what]


def test_an_inaccurate_test_is_a_no_go(cs1):
    test = cs1(dv.transfer.Delay(3e-3))
    assert "response error" in failed(verified(test, accept=dv.Accept(response_error=0.01)))


def test_a_schedule_must_be_complete_before_a_run_is_evaluated(cs1):
    ramp = {"feedback.measured_fraction": dv.Ramp(start=1.0, end=2.0, initial=0.0, final=1.0)}
    wrong = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=500.0), measured_fraction=0.0)
    test = cs1(dv.transfer.Delay(0.5e-3), feedback=wrong, schedule=ramp, duration=10.0)
    assert comparison_start(test) == 4.0
    assert comparison_start(cs1()) == 0.0
    # a wrong model in the beginning does not count against the test
    assert verified(test).accuracy < 0.05


@pytest.mark.parametrize(("delay", "passes"), [(0.05e-3, True), (1e-3, False)])
def test_a_test_with_contact_is_judged_by_its_impact_and_not_by_rms_displacement(delay, passes):
    changes = {"rate": 25e3, "rig.sensor": {"kind": "series", "parts": []}, "rig.actuator.delay": delay}
    test = load(find_test("docking/hil-1dof"), changes)
    reference = test.reference()
    accept = accepted(test, reference)
    assert accept.response_error is None
    stable = SimpleNamespace(stable=True, word="", validity="", margin=1.0, margin_text="", growth_rate=-1.0)
    found = verify(test, reference, assessment=stable, required=0.0, uncertainty=0.0, accept=accept)
    impact = {"rebound speed error", "peak force error", "penetration error", "contact duration error"}
    judged = {check.what: check.passed for check in found.checks if check.what in impact}
    assert set(judged) == impact
    assert all(judged.values()) is passes
    assert found.accuracy < 0.1  # rms displacement hides the wrong impact


def test_every_criterion_of_the_test_is_a_check(cs1):
    test = cs1(dv.transfer.Delay(0.5e-3))
    signals = {"measured_force": AcceptedSignal(max=100.0, peak_error=0.1)}
    accept = dv.Accept(response_error=0.1, margin=1e-3, added_energy_fraction=0.2, signals=signals)
    checks = {check.what: check for check in verified(test, accept=accept).checks}
    for name in (
        "response error",
        "delay margin",
        "energy added by the rig, relative",
        "largest measured force",
    ):
        assert checks[name].passed, str(checks[name])


def test_the_largest_error_replaces_all_accepted_errors(cs1):
    test = cs1(accept=dv.Accept(response_error=0.05, margin=1e-3))
    accept = accepted(test, test.reference(), 0.2)
    assert (accept.response_error, accept.margin) == (0.2, 1e-3)


class Stiffening(Memoryless):
    """A spring that is stiff about rest and soft beyond a millimetre."""

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -6000.0 * jnp.clip(z, -1e-3, 1e-3) - 200.0 * z}


def test_a_specimen_that_yields_is_verified_in_motion_and_not_at_rest(cs1):
    test = cs1(rig=dv.Rig(dv.transfer.Delay(1e-3), Stiffening()), duration=2.0)
    assessment = test.stability()
    assert assessment.governs == "rehearsed"
    check = next(check for check in verified(test).checks if check.what == "sampled loop")
    assert check.passed == assessment.stable
    assert assessment.validity in check.value
