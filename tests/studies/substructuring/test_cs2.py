"""The ready tests of CS2 run and end as their titles say; the three masses are what they should be."""

import numpy as np
import pytest

from dovetail import fidelity
from dovetail.studies.substructuring.reproduce_cs1 import FREE, TESTS, emulated, ready, rehearsed
from dovetail.studies.substructuring.reproduce_cs2 import late_norms

ENDINGS = {  # name: whether it runs to its end
    "cs2": True,
    "cs2-high": True,
    "cs2-identification": True,
    "cs2-identification-sweep": True,
    "cs2-inverse": True,
    "cs2-switch": False,
    "cs2-virtual-junction": True,
    "cs2-virtual-junction-sweep": True,
}
QUICK = {"cs2"}


def test_every_shipped_test_of_cs2_is_covered():
    assert {file.stem for file in TESTS.glob("cs2*.toml")} == set(ENDINGS)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in ENDINGS]
)
def test_a_shipped_test_ends_with_the_outcome_of_its_title(name):
    run = rehearsed(name)
    assert run.outcome.completed is ENDINGS[name], str(run)
    assert ENDINGS[name] or "diverges" in run.title
    assert np.isfinite(run.data["displacement"].values).all()


def three_mass_response(k, c, m, hertz):
    """Complex displacement of (z1, z2, z3) per unit wall motion of each wall, from the matrices by hand."""
    s = 2j * np.pi * hertz
    M = m * np.eye(3)
    pattern = np.array([[2, 0, -1], [0, 2, -1], [-1, -1, 2]])
    walls = (c * s + k) * np.array([[1, 0], [0, 1], [0, 0]])
    return np.linalg.solve(M * s**2 + pattern * (c * s + k), walls)


def test_the_reference_equals_the_three_mass_matrices():
    ideal = emulated("cs2").data
    t = ideal["time"].values
    last = t > 9.0  # two whole periods; the slowest mode has died to exp(-0.9 x 9) = 3e-4
    turn = np.exp(-2j * np.pi * 2.0 * t[last])

    def amplitude(trace):
        return 2j * np.mean(trace[last] * turn)  # the walls are sines

    expected = three_mass_response(4750.0, 6.0, 2.2, 2.0) @ np.array([0.01, 0.006])
    got = [amplitude(ideal["displacement"].values[:, i]) for i in (0, 1)]
    got.append(amplitude(ideal["mass_displacement"].values))
    np.testing.assert_allclose(got, expected, rtol=5e-3)


def test_hybrid_run_and_middle_mass_follow_the_reference():
    run, ideal = rehearsed("cs2").data, emulated("cs2").data
    late = slice(5.0, None)
    shares = fidelity.norms(run.sel(time=late), ideal.sel(time=late))["rms"]
    assert float(shares.sel(error="e1").max()) < 0.005
    error = run["mass_displacement"] - ideal["mass_displacement"]
    share = fidelity.rms(error.sel(time=late)) / fidelity.rms(ideal["mass_displacement"].sel(time=late))
    assert float(share) < 0.01


@pytest.mark.slow
def test_the_instability_after_the_switch_is_not_in_the_controller():
    """While the test diverges the delay of each actuator stays what it was."""
    data = rehearsed("cs2-switch").data
    before, after = data.sel(time=slice(1.0, 3.0)), data.sel(time=slice(3.0, None))
    np.testing.assert_allclose(fidelity.delay_by_correlation(before), [9.4e-3, 8.6e-3], atol=2e-5)
    np.testing.assert_allclose(fidelity.delay_by_correlation(after), [9.4e-3, 8.6e-3], atol=2e-4)


@pytest.mark.slow
def test_prediction_that_starts_a_millisecond_short_learns_the_rest():
    start = [8.4e-3, 7.6e-3]
    horizon = ready("cs2-high", {"compensator.delay": start}).rehearse().data["prediction_horizon"].values
    gained = horizon[-1] - start
    assert np.all(gained > 0.8e-3)
    assert np.all(horizon[-1] < [9.6e-3, 8.8e-3])


@pytest.mark.slow
def test_adaptive_prediction_keeps_its_accuracy_when_the_rig_is_sub_stepped():
    """Errors change by less than 1 % of themselves from one sub-step to forty, by 0.1 % from ten to forty."""
    ideal = emulated("cs2-high")
    found = {n: late_norms(ready("cs2-high", {**FREE, "rig.substeps": n}), ideal) for n in (1, 10, 40)}
    for error in ("e1", "e2"):
        assert found[1][error] == pytest.approx(found[40][error], rel=0.01)
        assert found[10][error] == pytest.approx(found[40][error], rel=1e-3)
