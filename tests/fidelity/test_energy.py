import math

import numpy as np
import pytest

from dovetail.fidelity import energy_added, energy_in_time

W = 2 * math.pi * 3.0  # [rad/s]


def test_a_delay_adds_the_energy_of_the_loop_in_each_cycle(make):
    run = make.delayed_sine(delay=6.77e-3, amplitude=0.01, k=2250.0, duration=2.0 + 1e-3)  # six whole cycles
    expected = 6 * math.pi * 2250.0 * 0.01**2 * math.sin(W * 6.77e-3)
    assert energy_added(run, force_held=False).transfer == pytest.approx(
        expected, rel=1e-4
    )  # trapezoids at 1 ms


def test_a_lead_removes_energy_and_an_ideal_rig_exchanges_none(make):
    assert energy_added(make.delayed_sine(delay=-3e-3), force_held=False).total < 0
    assert energy_added(make.delayed_sine(), force_held=False).total == pytest.approx(0.0, abs=1e-15)


def test_a_held_force_adds_half_a_sample_of_delay(make):
    run = make.delayed_sine(delay=0.0, amplitude=0.01, k=2250.0, duration=2.0 + 1e-3)
    found = energy_added(run)
    half_a_sample = 6 * math.pi * 2250.0 * 0.01**2 * math.sin(W * 0.5e-3)
    assert found.hold == pytest.approx(half_a_sample, rel=1e-3)
    assert found.total == found.transfer + found.hold


def test_the_added_energy_is_a_fraction_of_the_exchanged_energy(make):
    run = make.delayed_sine(delay=0.0, amplitude=0.01, k=2250.0, duration=2.0 + 1e-3)
    crossed = 6 * 4 * 0.5 * 2250.0 * 0.01**2  # a spring stores and returns k A^2 / 2 twice in a cycle
    found = energy_added(run)
    assert found.throughput == pytest.approx(crossed, rel=1e-3)
    assert found.fraction == pytest.approx(found.total / crossed, rel=1e-3)


def test_a_run_without_force_has_no_energy_fraction(make):
    assert math.isnan(energy_added(make.delayed_sine(k=0.0)).fraction)


@pytest.mark.parametrize("held", [True, False])
def test_energy_in_time_ends_at_the_total(make, held):
    run = make.delayed_sine(delay=6e-3)
    found = energy_in_time(run, force_held=held)
    assert found.values[-1] == pytest.approx(energy_added(run, force_held=held).total, rel=1e-12)
    assert found.values[0] == 0.0
    assert found.attrs["units"] == "J"


def test_measured_traces_are_used_for_a_physical_rig(make):
    run = make.delayed_sine(delay=6e-3).drop_vars(["achieved_displacement", "specimen_force"])
    full = make.delayed_sine(delay=6e-3)
    assert energy_added(run).total == pytest.approx(energy_added(full).total)


def test_each_axis_has_its_own_energy(make):
    t = np.arange(2001) / 1000.0
    z = np.stack([np.sin(W * t)] * 2, axis=1)
    x = np.stack([np.sin(W * (t - 2e-3)), np.sin(W * (t + 2e-3))], axis=1)
    found = energy_added(make.recording(t, displacement=z, measured_displacement=x, feedback_force=-x))
    assert found.transfer[0] > 0 > found.transfer[1]
