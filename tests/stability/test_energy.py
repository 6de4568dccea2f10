"""Delay as energy fed in per cycle."""

import numpy as np
import pytest

from dovetail.stability import energy, single_interface
from dovetail.transfer.linear import LinearTransfer

from .systems import K

CASE = dict(m=2.2, c=15.0, k=K, k_s=K)


def test_injected_energy_is_the_work_of_the_delayed_spring_over_a_cycle():
    w, tau, amplitude = 45.0, 5e-3, 0.01
    t = np.linspace(0, 2 * np.pi / w, 20001)
    velocity = -w * amplitude * np.sin(w * t)
    force = -K * amplitude * np.cos(w * (t - tau))  # on the numerical mass
    work = np.trapezoid(force * velocity, t)
    assert work > 0
    assert energy.spring(K, tau, w).injected(w, amplitude) == pytest.approx(work, rel=1e-6)
    assert work == pytest.approx(np.pi * K * amplitude**2 * np.sin(w * tau), rel=1e-6)


def test_on_the_boundary_injected_and_dissipated_energy_are_equal():
    tau, w = (
        float(single_interface.critical_delay(**CASE)),
        float(single_interface.instability_omega(**CASE)),
    )
    assert energy.spring(K, tau, w).damping == pytest.approx(-15.0, rel=1e-12)


def test_small_delay_is_a_negative_damper_of_stiffness_times_delay():
    tau = 1e-5
    assert energy.spring(K, tau, 40.0).damping == pytest.approx(-K * tau, rel=1e-6)


def test_a_specimen_and_transfer_given_as_functions_agree_with_the_spring():
    late = LinearTransfer([1.0], [1.0], 4e-3)
    w = np.array([10.0, 45.0])
    found = energy.equivalent(LinearTransfer([K], [1.0]), w, late)
    expected = energy.spring(K, 4e-3, w)
    assert found.stiffness == pytest.approx(expected.stiffness)
    assert found.damping == pytest.approx(expected.damping)


def test_a_delayed_mass_removes_energy_and_an_advanced_one_adds_it():
    mass, w = LinearTransfer([2.0, 0.0, 0.0], [1.0]), 40.0
    late = energy.equivalent(mass, w, LinearTransfer([1.0], [1.0], 2e-3))
    early = energy.equivalent(mass, w, lambda s: np.exp(s * 2e-3))
    assert late.injected(w, 0.01) < 0 < early.injected(w, 0.01)
