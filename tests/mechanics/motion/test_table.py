import jax
import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from dovetail.core.errors import ParameterError
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion, TableMotion

TIMES = [0.0, 1.0, 1.5, 4.0]
VALUES = [[0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [1.0, 0.2, 0.1], [0.5, 0.2, 0.1]]


def poses(motion):
    """Its pose and the rate of it, each one program."""
    return jax.jit(lambda t: motion.pose(t)), jax.jit(lambda t: jax.jacfwd(motion.pose)(t))


def test_a_monotone_table_is_pchip_with_rest_at_its_ends():
    table = TableMotion(times=TIMES, values=VALUES)
    judge = PchipInterpolator(TIMES, np.array(VALUES))
    pose, rate = poses(table)
    for t in (1.1, 1.3):  # inner intervals: slopes there are pchip's
        np.testing.assert_allclose(pose(t), judge(t), atol=1e-12)
    np.testing.assert_allclose(rate(0.0), 0.0, atol=1e-12)
    np.testing.assert_allclose(pose(9.0), VALUES[-1])


def test_a_linear_table_has_the_velocity_of_its_rows():
    table = TableMotion(times=TIMES, values=VALUES, interpolation="linear")
    pose, rate = poses(table)
    np.testing.assert_allclose(rate(1.2), [2.0, 0.2, 0.2], rtol=1e-9)
    np.testing.assert_allclose(pose(-1.0), VALUES[0])


def test_blending_rounds_corners_and_keeps_straight_parts():
    sharp = TableMotion(times=TIMES, values=VALUES, interpolation="linear")
    round_ = TableMotion(times=TIMES, values=VALUES, interpolation="linear", blend=0.2)
    pose, rate = poses(round_)
    np.testing.assert_allclose(pose(2.5), poses(sharp)[0](2.5), atol=1e-12)
    np.testing.assert_allclose([rate(t)[0] for t in (0.9, 1.0, 1.1)], [0.0, 1.0, 2.0], atol=1e-9)
    np.testing.assert_allclose(pose(-5.0), VALUES[0], atol=1e-12)


def test_harmonics_fade_in_from_rest():
    motion = HarmonicMotion(
        mean_pose=[0.0, 1.0, 0.0], amplitude=[[0.0, 0.5, 0.1]], omega=[0.8], phase=[1.0], fade_in_time=4.0
    )
    pose, rate = poses(motion)
    np.testing.assert_allclose(pose(0.0), [0.0, 1.0, 0.0])
    np.testing.assert_allclose(rate(0.0), 0.0, atol=1e-12)
    np.testing.assert_allclose(pose(7.0)[1], 1 + 0.5 * np.sin(0.8 * 7 + 1.0))
    np.testing.assert_allclose(FixedFrame(mean_pose=[1.0, 2.0, 3.0]).pose(5.0), [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("times", "values", "text"),
    [
        ([0.0, 1.0, 1.0], np.zeros((3, 3)), "times must increase"),
        ([0.0, 1.0], np.zeros((3, 3)), "one row"),
        ([0.0, np.inf], np.zeros((2, 3)), "not finite"),
    ],
)
def test_an_invalid_table_is_rejected(times, values, text):
    with pytest.raises(ParameterError, match=text):
        TableMotion(times=times, values=values)
