import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.receiver import Receiver, SpeedProfile, StopInDistance, StopInTime


@pytest.mark.parametrize("approach", [StopInDistance(), StopInTime(), SpeedProfile()])
def test_rates_are_the_derivatives_of_the_distance(approach):
    t = jnp.linspace(0.0, 2.0, 4001)
    way = jax.vmap(lambda t: approach.travel(t, 0.63))(t)
    np.testing.assert_allclose(
        np.gradient(way[:, 0], t), way[:, 1], atol=2e-3
    )  # a corner of 3.3 m/s^2 within 0.5 ms
    assert np.all(way[:, 1] >= -1e-12)
    assert way[-1, 1] == pytest.approx(0.0, abs=1e-12)


def test_the_receiver_stops_in_the_given_distance_and_time():
    way = StopInDistance().travel(jnp.asarray(10.0), 0.63)
    np.testing.assert_allclose(way, [1.13, 0.0, 0.0], atol=1e-12)
    assert StopInDistance().travel(jnp.asarray(0.6), 0.63)[2] == pytest.approx(-2.25)
    way = StopInTime().travel(jnp.asarray(10.0), 0.63)
    np.testing.assert_allclose(way, [0.05 + 0.375, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("speed", "total", "contact"),
    [(1.0, 0.78, 0.33), (0.25, 3.12, 1.32), (0.5, 1.56, 0.66), (0.75, 1.04, 0.44)],
)
def test_timing_of_the_validation_probe(speed, total, contact):
    profile = SpeedProfile(speed=speed)
    assert profile.duration == pytest.approx(total)
    assert profile.time_at(0.18) == pytest.approx(contact)
    np.testing.assert_allclose(profile.travel(profile.time_at(0.18), 0.0)[:2], [0.18, speed], rtol=1e-12)
    np.testing.assert_allclose(profile.travel(profile.duration, 0.0)[0], 0.48, rtol=1e-12)


def test_the_line_starts_at_its_offset_and_heads_for_the_axis():
    receiver = Receiver(offset=0.2, incidence=0.3, clock_angle=0.0)
    start, speed, _ = receiver.path(jnp.asarray(0.0))
    np.testing.assert_allclose(start, [-0.75, 0.0, 0.2], atol=1e-15)  # 12 o'clock is up
    np.testing.assert_allclose(speed, 1.5 * np.array([np.cos(0.3), 0.0, -np.sin(0.3)]), rtol=1e-12)
    starboard = Receiver(offset=0.2, incidence=0.3, clock_angle=jnp.pi / 2)
    start, speed, _ = starboard.path(jnp.asarray(0.0))
    np.testing.assert_allclose(start, [-0.75, -0.2, 0.0], atol=1e-15)
    assert speed[1] > 0
