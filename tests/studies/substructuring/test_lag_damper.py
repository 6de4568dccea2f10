"""CS3: its data, its identification sequence, its hybrid test, and two dampers under the same flight."""

import dataclasses
import tomllib

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail import fidelity
from dovetail.air import Attachment, RotatingBlade
from dovetail.core import RK4
from dovetail.studies.registry import load
from dovetail.studies.substructuring import lag_damper
from dovetail.testing import Outcome, ReferenceSettings
from dovetail.testing.schedule import Switch

NAMES = ("lag-damper", "lag-damper-detuned", "lag-damper-emulated", "lag-damper-kinematics")


@pytest.fixture(scope="module")
def matched():
    return load("substructuring/lag-damper").rehearse()


@pytest.fixture(scope="module")
def detuned():
    return load("substructuring/lag-damper-detuned").rehearse()


# the data


def table(name):
    return tomllib.loads((lag_damper.STUDY / "tests" / f"{name}.toml").read_text("utf-8"))


def test_every_test_file_has_the_surrogate_s_blade_and_damper():
    assumed = lag_damper.surrogate()["assumed"]
    first = table("lag-damper")["numerical"]["modes"]
    assert first["structure"]["per_revolution"] == assumed["modes"]["per_revolution"]
    assert first["damping"] == assumed["modes"]["damping"]
    for name in NAMES:
        modes = table(name)["numerical"]["modes"]
        modes["forcing"][0][0] = 0.0  # the kinematic blade has a constant lag moment
        assert modes == first, name
    rotor = tomllib.loads((lag_damper.STUDY / "five_blades.toml").read_text("utf-8"))
    assert rotor["numerical"]["blade"]["modes"] == first
    rig = table("lag-damper")["rig"]
    for name in ("lag-damper-detuned", "lag-damper-identification", "lag-damper-kinematics"):
        assert table(name)["rig"]["specimen"] == rig["specimen"], name
        assert table(name)["rig"]["actuator"] == rig["actuator"], name
    rig = load("substructuring/lag-damper").rig
    for field, value in assumed["damper"].items():
        assert float(getattr(rig.specimen, field)) == pytest.approx(value, rel=1e-12), field
    lag, delay = rig.actuator.parts
    assert float(lag.tau) == pytest.approx(assumed["actuator"]["tau"])
    assert float(lag.gain) == pytest.approx(assumed["actuator"]["gain"])
    assert float(delay.delay) == pytest.approx(lag_damper.surrogate()["printed"]["turnaround"])


def test_participation_and_inertia_follow_from_geometry_and_strength():
    assumed = lag_damper.surrogate()["assumed"]
    g, m = assumed["geometry"], assumed["modes"]
    blade = load("substructuring/lag-damper").numerical
    whole = RotatingBlade(
        modes=blade.modes,
        attachment=Attachment(g["hub_point"], g["hinge"], g["arm"]),
        coning=g["coning"],
        collective=g["collective"],
    )
    listed = blade.modes.structure  # the file has six digits
    assert float(listed.radius) == g["radius"]
    for name in ("flap_slope", "lag_slope"):
        np.testing.assert_allclose(
            getattr(listed, name), np.array(m[f"{name}_times_radius"]) / g["radius"], rtol=1e-5
        )
    # the file has four digits
    np.testing.assert_allclose(blade.participation, whole.participation(), rtol=1e-3)
    ideal = assumed["ideal_damper"]
    np.testing.assert_allclose(blade.strength(ideal["ratio"] * ideal["open_slope"]), m["kappa"], rtol=1e-5)


# identification of the damper


@pytest.fixture(scope="module")
def sequence():
    return lag_damper.identify(points=(1, 7, 8, 11))


@pytest.mark.slow
def test_the_set_speeds_are_reached_within_five_per_cent(sequence):
    speeds = lag_damper.surrogate()["printed"]["identification_speeds"]
    for point, run in sequence.items():
        assert run.outcome is Outcome.FINISHED
        half = lag_damper.half_stroke(1e-3 * speeds[point - 1])
        assert fidelity.characteristic(run, 3.5).half_stroke == pytest.approx(half, rel=0.05), point


def test_loops_are_anticlockwise_hysteretic_and_repeatable(sequence):
    for point, run in sequence.items():
        found = fidelity.characteristic(run, 3.5)
        assert found.sense == "anticlockwise", point
        assert found.hysteresis > 0.1 * found.peak, point
        assert found.repeatability < 0.05, point


def test_valves_open_from_the_eighth_test_on(sequence):
    opened = {point: float(np.abs(run.data.relief_speed).max()) > 0 for point, run in sequence.items()}
    assert opened == {1: False, 7: False, 8: True, 11: True}


def test_the_twelfth_test_is_stopped_at_the_actuator_s_speed():
    run = lag_damper.identify(points=(12,))[12]
    assert run.outcome is Outcome.VELOCITY


# the hybrid test


def test_the_matched_inverse_leads_to_the_full_measured_force(matched):
    """Force fed back is all measured in the end; the subspace loop stays nearly straight."""
    assert matched.outcome is Outcome.FINISHED
    last = matched.data.sel(time=slice(15.6, 16.6))
    assert float(last.measured_fraction.min()) == 1.0
    np.testing.assert_array_equal(last.feedback_force, last.measured_force)
    e2 = (last.displacement - last.measured_displacement).values
    assert np.sqrt(np.mean(e2**2)) < 0.01 * float(last.displacement.std())
    # operating point of the source: about 15 kN and 300 mm/s
    assert float(np.abs(last.measured_force).max()) == pytest.approx(15e3, rel=0.1)
    assert float(np.abs(last.velocity).max()) == pytest.approx(0.3, rel=0.15)


def test_the_waveform_depends_on_the_measured_fraction_for_a_real_damper(matched):
    before, after = (matched.data.sel(time=slice(a, a + 1)) for a in (6.6, 15.6))
    opened = [fidelity.characteristic(matched.data.sel(time=slice(None, a + 1.2)), 3.5) for a in (6.6, 15.6)]
    assert opened[0].sense == opened[1].sense == "anticlockwise"
    ideal = (after.model_force - after.measured_force).values
    assert np.abs(ideal).max() > 0.3 * float(np.abs(after.measured_force).max())
    assert float(before.measured_fraction.max()) == 0.0


def test_most_of_the_test_is_below_half_of_the_actuator_s_capacity(matched):
    printed = lag_damper.surrogate()["printed"]
    envelope = fidelity.Envelope.valve(force=printed["actuator_force"], speed=printed["envelope_speed"])
    used = fidelity.utilisation(matched.data.sel(time=slice(12.0, 17.0)), envelope)
    assert used.above_half < 0.5
    assert used.peak < 0.9


def test_the_delay_of_the_detuned_inverse_is_its_omitted_part(matched, detuned):
    """Delay at 3.5 Hz while the force is simulated: 1.80 ms more than with the matched inverse."""
    late = [fidelity.delay_at(run.data.sel(time=slice(6.0, 8.0 - 1e-9)), 3.5) for run in (matched, detuned)]
    assert abs(late[0]) < 0.1e-3
    assert late[1] - late[0] == pytest.approx(1.80e-3, abs=0.05e-3)


def test_the_detuned_test_grows_broadband_and_the_failsafe_stops_it(matched, detuned):
    assert detuned.outcome is Outcome.VELOCITY
    end = float(detuned.data.time[-1])
    assert 13.0 < end < 16.0  # after the ramp: simulated, it was stable

    def above_30_hz(run):
        lines = fidelity.amplitude_spectrum(run.data.sel(time=slice(end - 0.5, end)), "velocity")
        return float(np.sqrt((lines.where(lines.frequency > 30.0) ** 2).sum()))

    assert above_30_hz(detuned) > 2 * above_30_hz(matched)


def test_modes_are_selected_on_line():
    """Twist and the third lag mode join after 1 s: the piston hears nothing of them before."""
    test = load("substructuring/lag-damper")
    few = jnp.array([1.0] * 6 + [0.0, 0.0])
    schedule = {"numerical.modes.active_modes": Switch(start=1.0, initial=few, final=jnp.ones(8))}
    run = dataclasses.replace(test, schedule=schedule, duration=1.5).rehearse()
    high = run.data.modal_displacement.values[:, 6:]
    assert np.all(high[:1000] == 0.0)
    assert np.all(np.abs(high[1100:]).max(axis=0) > 0.0)
    parts = test.numerical.participation[:6] * run.data.modal_displacement.values[:1000, :6]
    np.testing.assert_allclose(run.data.displacement.values[:1000], parts.sum(axis=1), atol=1e-15)


# two dampers, five blades


@pytest.mark.slow
def test_two_dampers_with_equal_peaks_have_different_loops(matched):
    second = lag_damper.with_damper(matched.test, lag_damper.second_damper()).rehearse()
    assert second.outcome is Outcome.FINISHED
    report = fidelity.match_dampers({"first": matched.data, "second": second.data}, 3.5)
    assert not report.matched
    assert report.spread["hysteresis"] > report.spread["pull"]


@pytest.mark.slow
def test_five_blades_with_unequal_dampers_shake_the_hub_once_per_revolution():
    """Flight builds up on five coupled blades and five actuators; equal dampers show no line at 3.5 Hz."""
    test = lag_damper.five_blades()
    alike = lag_damper.with_damper(test, lag_damper.first_damper())

    def line(test):
        run = test.rehearse()
        assert run.outcome is Outcome.FINISHED
        hub = run.data.hub_displacement.values[-2000:, 0]  # 2 s: seven revolutions
        window = np.hanning(len(hub))
        return 2 * np.abs(np.fft.rfft(hub * window)[7]) / window.sum(), run

    unequal, run = line(test)
    assert unequal > 5 * line(alike)[0]
    early, late = (float(np.abs(run.data.velocity.sel(time=slice(a, a + 1))).max()) for a in (0.0, 9.0))
    assert late > 2 * early  # flight builds up


@pytest.mark.slow
def test_the_reference_resolves_the_kinks_of_a_damper():
    """Default against steps eight times finer; order 8, the default elsewhere, is off by a third here."""
    test = dataclasses.replace(load("substructuring/lag-damper"), duration=1.0)
    usual = test.reference().data
    fine = (
        dataclasses.replace(test, rate=32000.0)
        .reference(ReferenceSettings(RK4(), 1))
        .data.isel(time=slice(None, None, 32))
    )
    for name in ("displacement", "velocity", "feedback_force"):
        peak = float(np.abs(fine[name]).max())
        assert float(np.abs(usual[name].values - fine[name].values).max()) < 1e-3 * peak, name
