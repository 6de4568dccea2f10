import math

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.fidelity import Envelope, utilisation

RATED = dict(force=410.0, speed=0.64)  # [N], [m/s]: the published small rig


def test_every_point_of_an_envelope_is_fully_used():
    for envelope in (
        Envelope.straight(**RATED),
        Envelope.valve(**RATED),
        Envelope((0, 0.3, 0.6), (400, 300, 50)),
    ):
        np.testing.assert_allclose(envelope.utilisation(envelope.speed, envelope.force), 1.0, rtol=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75, 1.3])
def test_utilisation_is_the_radial_fraction(share):
    envelope = Envelope((0.0, 0.3, 0.6), (400.0, 300.0, 0.0))
    v, f = (
        np.array([0.0, 0.15, 0.3, 0.45, 0.6]),
        np.array([400.0, 350.0, 300.0, 150.0, 0.0]),
    )  # on the envelope
    np.testing.assert_allclose(envelope.utilisation(share * v, share * f), share, rtol=1e-12)


def test_signs_of_force_and_speed_do_not_matter():
    envelope = Envelope.straight(**RATED)
    assert (
        envelope.utilisation(-0.1, 100.0)
        == envelope.utilisation(0.1, -100.0)
        == envelope.utilisation(0.1, 100.0)
    )


def test_a_box_is_the_larger_of_the_two_shares():
    envelope = Envelope.box(force=400.0, speed=0.5)
    np.testing.assert_allclose(envelope.utilisation([0.1, 0.4, 0.0], [300.0, 100.0, 0.0]), [0.75, 0.8, 0.0])


def test_a_straight_envelope_adds_the_two_shares():
    envelope = Envelope.straight(force=400.0, speed=0.5)
    np.testing.assert_allclose(envelope.utilisation(0.1, 100.0), 0.2 + 0.25)


def test_a_sine_on_a_spring_has_the_closed_form_utilisation(make):
    # speed A w and force k A are a quarter cycle apart, so the box sees the larger of the two peaks
    run = make.delayed_sine(amplitude=0.02, frequency=3.0, k=2250.0)
    found = utilisation(run, Envelope.box(force=90.0, speed=1.0))
    assert found.peak == pytest.approx(0.02 * 2250.0 / 90.0, rel=1e-3)
    assert found.above_half == pytest.approx(0.0, abs=1e-12)


def test_the_carriage_mass_counts(make):
    run = make.delayed_sine(amplitude=0.02, frequency=8.0, k=0.0)
    w = 2 * math.pi * 8.0
    found = utilisation(run.isel(time=slice(5, -5)), Envelope.box(force=200.0, speed=1e3), moving_mass=2.2)
    assert found.peak == pytest.approx(2.2 * 0.02 * w**2 / 200.0, rel=5e-3)  # central differences at 1 ms


@pytest.mark.parametrize(
    ("force", "says"),
    [
        (100.0, "below 50 %"),
        (75.0, "within the 75 % rule"),
        (50.0, "above the 75 % rule"),
        (40.0, "at or beyond"),
    ],
)
def test_the_verdict_follows_the_rules(make, force, says):
    run = make.delayed_sine(amplitude=0.02, k=2250.0)  # 45 N
    assert says in str(utilisation(run, Envelope.box(force=force, speed=10.0)))


@pytest.mark.parametrize(
    ("speed", "force"),
    [
        ((0.0,), (1.0,)),
        ((0.1, 0.2), (1.0, 0.5)),
        ((0.0, 0.2), (1.0, 2.0)),
        ((0.0, math.nan), (1.0, 0.5)),
        ((0, 0), (1, 0)),
    ],
)
def test_an_invalid_capacity_limit_is_rejected(speed, force):
    with pytest.raises(ParameterError, match="Envelope"):
        Envelope(speed, force)


@pytest.mark.parametrize(
    ("speed", "force"),
    [
        ((0.0, 0.5, 0.3), (400.0, 300.0, 0.0)),  # one speed falls
        ((0.0, 0.3, 0.5), (400.0, 450.0, 0.0)),  # one force rises
        ((0.0,), (400.0,)),  # one point
        ((0.0, 0.3), (400.0, 300.0, 0.0)),  # unequal numbers
        ((0.1, 0.3), (400.0, 0.0)),  # does not start at rest
    ],
)
def test_points_that_are_no_envelope_are_rejected(speed, force):
    with pytest.raises(ParameterError, match="Envelope"):
        Envelope(speed, force)
