"""Remarks on a real-time run: energy that the link added, a force that contradicts the model."""

import numpy as np
import pytest
import xarray as xr

from dovetail.links.link_remarks import contradiction, link_energy

RATE, STIFFNESS, AMPLITUDE, OMEGA = 1000.0, 500.0, 0.01, 2 * np.pi  # [Hz], [N/m], [m], [rad/s]


@pytest.mark.parametrize("age", [0, 5, 30])
def test_old_readings_of_a_spring_add_the_energy_of_a_delay(age):
    """Over a period: pi k A^2 sin(omega tau)."""
    ticks = np.arange(3001)
    velocity = AMPLITUDE * OMEGA * np.cos(OMEGA * ticks / RATE)
    force = -STIFFNESS * AMPLITUDE * np.sin(OMEGA * (ticks - age) / RATE)
    data = xr.Dataset(
        {
            "measured_force": ("time", force),
            "velocity": ("time", velocity),
            "measurement_age": ("time", np.full(3001, float(age))),
        },
        {"time": ticks / RATE},
    )
    expected = 3 * np.pi * STIFFNESS * AMPLITUDE**2 * np.sin(OMEGA * age / RATE)
    assert link_energy(data) == pytest.approx(expected, rel=0.03, abs=1e-12)


@pytest.mark.parametrize(
    ("factor", "is_wrong"), [(1.0, False), (-1.0, True), (0.3, True), (2.5, True), (1.3, False)]
)
def test_sign_or_gain_against_the_specimen_model_for_a_second_is_remarked(make_cs1, factor, is_wrong):
    test = make_cs1(duration=2.0)
    data = test.rehearse().data
    scale = np.where(data.time > 1.0, factor, 1.0)
    found = contradiction(test, data.assign(measured_force=data.measured_force * scale))
    assert found == ((1.0, pytest.approx(factor, rel=1e-6)) if is_wrong else None)


def test_half_a_second_of_a_wrong_sign_is_not_remarked(make_cs1):
    test = make_cs1(duration=2.0)
    data = test.rehearse().data
    scale = np.where((data.time > 1.0) & (data.time < 1.2), -1.0, 1.0)
    assert contradiction(test, data.assign(measured_force=data.measured_force * scale)) is None
