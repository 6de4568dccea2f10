"""Would this test work? Against the closed form and against what the loop then does."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.specimens.base import Memoryless, Specimen
from dovetail.stability import single_interface
from dovetail.testing.stability_at_rest import open_at_rest


def test_the_critical_delay_is_that_of_the_closed_form(make_cs1):
    answer = make_cs1(delay=9.4e-3).stability()
    assert answer.critical_delay == pytest.approx(
        float(single_interface.critical_delay(m=2.2, c=15.0, k=2250.0, k_s=2250.0)), rel=1e-9
    )
    assert answer.critical_delay == pytest.approx(6.77e-3, rel=1e-3)  # Wallace, section 3.2.2
    assert answer.critical_frequency == pytest.approx(7.116, abs=5e-4)
    assert answer.rig_delay == pytest.approx(9.4e-3)
    assert not answer.stable
    assert answer.margin == pytest.approx(6.7695e-3 - 9.4e-3 - 0.5e-3, abs=1e-6)


def test_the_verdict_reads_well(make_cs1):
    text = str(make_cs1(delay=9.4e-3).stability())
    assert "critical delay 6.77 ms at 7.12 Hz; rig delay 9.4 ms, force hold 0.5 ms" in text
    assert "sampled loop unstable" in text
    assert "sampled loop stable" in str(make_cs1(delay=1e-3).stability())


def test_unknown_values_are_stated_and_never_shown_as_numbers():
    unknown = dv.testing.stability_at_rest.Stability(
        np.nan, np.nan, np.nan, -2.0, 3.0, 5e-4, ("25 states are too many",)
    )
    said = str(unknown)
    assert "nan" not in said
    assert "critical delay not determined; rig delay not known" in said
    assert "25 states" in said
    hopeless = dv.testing.stability_at_rest.Stability(0.0, np.nan, 1e-3, 2.0, 3.0, 5e-4)
    assert "critical delay 0 ms; rig delay 1 ms" in str(hopeless)


@pytest.mark.parametrize(
    "delay",
    [
        pytest.param(2e-3, marks=pytest.mark.slow),
        6.2e-3,
        6.35e-3,
        pytest.param(9.4e-3, marks=pytest.mark.slow),
    ],
)
def test_sampled_poles_predict_the_decay_of_the_run(make_cs1, delay):
    """Released from rest the deviation from the forced motion grows or decays at the predicted rate."""
    answer = make_cs1(delay=delay).stability()
    oscillator = dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0, z0=1e-3)
    free = dataclasses.replace(
        make_cs1(delay=delay, duration=4.0), numerical=oscillator, excitation=dv.Zero()
    )
    z = free.rehearse().data.displacement.values[1000:3500]
    # once the slowest pair of poles alone is left, each sample follows from the two before it
    a, b = np.linalg.lstsq(np.stack([z[1:-1], z[:-2]], axis=1), z[2:], rcond=None)[0]
    pole = np.log(np.roots([1.0, -a, -b]).astype(complex)[0]) / 1e-3
    assert pole.real == pytest.approx(answer.growth_rate, abs=1e-6)
    assert abs(pole.imag) / (2 * np.pi) == pytest.approx(answer.pole_frequency, abs=1e-6)


def test_a_strongly_damped_loop_is_stable_for_any_delay(make_cs1):
    damped = dataclasses.replace(make_cs1(), numerical=dv.mechanics.Oscillator(m=2.2, c=150.0, k=2250.0))
    answer = damped.stability()
    assert answer.critical_delay == np.inf
    assert "stable for any delay" in str(answer)


def test_a_compensator_counts_in_its_steady_state(make_cs1):
    """With 8.9 ms of prediction against 9.4 ms and half a tick the loop is well inside its limit."""
    predicted = make_cs1(delay=9.4e-3, compensator=dv.compensation.ForwardPrediction(delay=8.9e-3))
    answer = predicted.stability()
    assert answer.stable
    bare = make_cs1(delay=0.5e-3).stability()
    assert answer.growth_rate == pytest.approx(bare.growth_rate, abs=0.05)


def test_quantiser_and_dead_zone_do_not_cut_the_loop_open(make_cs1):
    test = make_cs1(delay=9.4e-3)
    rig = dv.Rig(
        dv.transfer.Series((dv.transfer.Delay(9.4e-3), dv.transfer.DeadZone(1e-6))),
        dv.specimens.Spring(k=2250.0),
        sensor=dv.transfer.Quantiser(0.01),
    )
    answer = dataclasses.replace(test, rig=rig).stability()
    assert not answer.stable
    assert answer.growth_rate == pytest.approx(test.stability().growth_rate, rel=1e-6)
    assert any("dead zone replaced by unit gain" in remark for remark in answer.remarks)


def test_a_schedule_counts_with_its_final_values(make_cs1):
    """Emulated force until 3 s, measured from then on: the verdict is that on the measured force."""
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=2250.0), measured_fraction=0.0)
    switch = {"feedback.measured_fraction": dv.Switch(start=1.0, initial=0.0, final=1.0)}
    assert make_cs1(delay=9.4e-3, feedback=blended).stability().stable
    assert not make_cs1(delay=9.4e-3, feedback=blended, schedule=switch).stability().stable


def test_a_specimen_with_mass_has_its_critical_delay_by_phase_margin(make_cs1):
    """Delayed inertia makes the delay equation neutral; the sampled loop turns where the margin says."""
    heavy = dv.specimens.Storey(mass=0.2, stiffness=2250.0, damping_ratio=0.01)

    def at(delay):
        test = make_cs1(delay=1e-3)
        rig = dv.Rig(dv.transfer.Delay(delay), heavy, substeps=4)
        return dataclasses.replace(test, rig=rig, rate=4000.0).stability()

    answer = at(1e-3)
    # light damping: all damping over the stiffness that is late, less the inertia that is late with it
    late = 2250.0 - 0.2 * (2 * np.pi * answer.critical_frequency) ** 2
    assert answer.critical_delay == pytest.approx((15.0 + float(heavy.damping)) / late, rel=0.03)
    assert "the specimen mass is 0.091 of" in str(answer)
    edge = answer.critical_delay - answer.force_hold_delay
    assert at(0.97 * edge).growth_rate < 0 < at(1.03 * edge).growth_rate


def test_a_specimen_heavier_than_the_numerical_mass_leaves_no_margin(make_cs1):
    rig = dv.Rig(dv.transfer.Delay(1e-3), dv.specimens.Storey(mass=3.0, stiffness=2250.0))
    answer = dataclasses.replace(make_cs1(), rig=rig).stability()
    assert answer.critical_delay == 0.0
    assert "any delay destabilises" in str(answer)


def test_bodies_that_fly_towards_each_other_form_an_open_loop_until_they_touch():
    from dovetail.mechanics.contact import Flores, FreePair
    from dovetail.specimens import ImpactPair

    test = dv.Test(
        numerical=FreePair(30.0, 75.0, 0.1),
        rig=dv.Rig(dv.transfer.TotalDelayLag(1e-3), ImpactPair(Flores(9e8), 10e-3)),
        rate=20e3,
        duration=0.1,
    )
    result = test.stability()
    assert np.isnan(result.critical_delay)  # not a number: a report says that it was not analysed
    assert result.rig_delay == pytest.approx(0.35e-3)
    text = str(result)
    assert "no contact at rest" in text
    assert "unstable" not in str(result.at_rest)


def test_the_delay_of_the_force_sensor_reduces_the_margin(make_cs1):
    test = make_cs1(delay=2e-3)
    late = dataclasses.replace(test, rig=dataclasses.replace(test.rig, sensor=dv.transfer.Delay(1.5e-3)))
    plain, result = test.stability(), late.stability()
    assert (plain.sensor_delay, result.sensor_delay) == (0.0, pytest.approx(1.5e-3))
    assert result.margin == pytest.approx(plain.margin - 1.5e-3, abs=1e-8)  # of two searches


class DelayedSpring(Specimen):
    """A spring of 1 kN/m whose force follows the displacement through `order` lags of 10 ms."""

    order: int

    def init(self):
        return jnp.zeros(self.order)

    def derivative(self, t, x, u):
        return (jnp.concatenate([u["displacement"][None], x[:-1]]) - x) / 0.01

    def output(self, t, x, u):
        return {"force": -1000.0 * x[-1]}


@pytest.mark.parametrize("order", [1, 2])
def test_a_force_that_follows_the_motion_through_a_memory_closes_the_loop(make_cs1, order):
    test = make_cs1()
    rig = dataclasses.replace(test.rig, specimen=DelayedSpring(order))
    assert not open_at_rest(dataclasses.replace(test, rig=rig))


def test_a_nonlinear_specimen_is_reported_as_analysed_at_rest(make_cs1):
    """A spring that hardens with the cube of its stretch; a linear one draws no such remark."""

    class Hardening(Memoryless):
        def output(self, t, x, u):
            z = u["displacement"]
            return {"force": -2250.0 * z * (1.0 + (z / 1e-3) ** 2)}

    plain = dataclasses.replace(make_cs1(), limits=dv.testing.Limits(displacement=0.02))
    hardening = dataclasses.replace(plain, rig=dataclasses.replace(plain.rig, specimen=Hardening()))
    assert plain.stability().governs == "linear"
    assert hardening.stability().governs == "rehearsed"
    assert "nonlinear" in hardening.stability(quick=True).verdict


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("refuelling/full-scale", marks=pytest.mark.slow),  # the larger of the two that creep
        "refuelling/drop",
        "refuelling/drop-real-time",
    ],
)
def test_a_future_contact_is_not_an_instability(name):
    """The funnel's latch is a memory that a force would follow, but no small motion reaches it."""
    from dovetail import testing
    from dovetail.studies.registry import find_test

    result = testing.load(find_test(name)).stability()
    assert np.isnan(result.growth_rate)
    text = str(result)
    assert "no contact at rest" in text
    assert "unstable" not in str(result.at_rest)
    assert ("pseudo-dynamic" in text) == (name != "refuelling/drop-real-time")
