"""Colours, polylines and tubes of the renderers."""

import numpy as np
from scipy.spatial.transform import Rotation

from dovetail.scene.polylines import links, quaternion, rgb, segments


def test_a_ghost_is_paler():
    assert rgb("#0072b2") == (0, 114, 178)
    assert rgb("#0072b2", ghost=True) == (127, 184, 216)


def test_a_polyline_is_its_pieces():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    assert segments(points).tolist() == [[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]]]


def test_pieces_of_a_tube_reach_from_node_to_node():
    rng = np.random.default_rng(1)
    nodes = np.concatenate(
        [rng.standard_normal((6, 3)), [[0, 0, 0], [-1, 0, 0]]]
    )  # the last one straight back
    turns, places, stretches = links(nodes, 0.03)
    for q, p, s, end in zip(turns, places, stretches, nodes[1:], strict=True):
        R = Rotation.from_quat(q, scalar_first=True).as_matrix()
        np.testing.assert_allclose(R @ [s[0], 0, 0] + p, end, atol=1e-5)
        assert s[1] == s[2] == np.float32(0.03)


def test_axes_become_a_quaternion_and_back():
    R = Rotation.from_euler("ZYX", [0.3, -0.2, 0.5]).as_matrix()
    np.testing.assert_allclose(
        Rotation.from_quat(quaternion(R), scalar_first=True).as_matrix(), R, atol=1e-12
    )
