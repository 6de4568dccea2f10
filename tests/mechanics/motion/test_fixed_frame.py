import numpy as np

from dovetail.mechanics.motion import FixedFrame


def test_it_is_where_it_was_put_in_a_plane_and_in_space():
    np.testing.assert_array_equal(
        FixedFrame(mean_pose=[1.0, 2.0, 0.3]).spatial_pose(5.0), [0.0, 1.0, 2.0, 0.3, 0.0, 0.0]
    )
    np.testing.assert_array_equal(FixedFrame().pose(5.0), np.zeros(6))
