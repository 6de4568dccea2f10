import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.motion import BrakingPoint, FixedFrame, HarmonicMotion, OffsetPoint

POINT = jnp.array([-21.14, 0.0, 0.5])


def test_points_of_a_frame_at_rest_do_not_move():
    place, velocity, acceleration = FixedFrame().point(3.0, POINT)
    np.testing.assert_array_equal(place, POINT)
    np.testing.assert_array_equal(velocity, 0.0)
    np.testing.assert_array_equal(acceleration, 0.0)


def test_sway_starts_gently_and_reaches_its_amplitude():
    tow = HarmonicMotion(amplitude=(0.0, 0.1, 0.2, 0.0, 0.0, 0.0), omega=np.pi, fade_in_time=2.0)
    motion = jax.jit(jax.vmap(lambda t: tow.point(t, 0 * POINT)))
    t = jnp.linspace(0.0, 8.0, 8001)
    place, velocity, acceleration = map(np.asarray, motion(t))
    np.testing.assert_allclose([place[0], velocity[0], acceleration[0]], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.abs(place[4000:]).max(axis=0), [0.0, 0.1, 0.2], rtol=1e-5)
    slope = np.gradient(velocity[:, 2], t)[1:-1]
    np.testing.assert_allclose(slope, acceleration[1:-1, 2], atol=1e-4)  # at 1 ms


def test_a_braking_point_stops_in_its_distance_and_an_offset_point_keeps_its_offset():
    stopped = BrakingPoint(speed=1.5, distance=0.5).point(5.0, POINT)
    np.testing.assert_allclose(
        jnp.stack(stopped), [POINT + jnp.array([0.5, 0.0, 0.0]), 0 * POINT, 0 * POINT], atol=1e-12
    )
    np.testing.assert_allclose(BrakingPoint(speed=1.5).point(0.0, POINT).velocity, [1.5, 0.0, 0.0])
    aside = OffsetPoint(shift=(0.0, 0.1, 0.0), duration=0.2).point(0.3, POINT)
    np.testing.assert_allclose(aside.position - POINT, [0.0, 0.1, 0.0], atol=1e-12)
