import numpy as np

from dovetail.mechanics.motion import FixedFrame


def test_a_fixed_frame_keeps_its_pose_in_plane_and_space():
    np.testing.assert_array_equal(
        FixedFrame(mean_pose=[1.0, 2.0, 0.3]).spatial_pose(5.0), [0.0, 1.0, 2.0, 0.3, 0.0, 0.0]
    )
    np.testing.assert_array_equal(FixedFrame().pose(5.0), np.zeros(6))
