"""Linear systems as matrices."""

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.stability import StateSpace
from dovetail.transfer.linear import LinearTransfer


def test_a_transfer_function_as_states_has_the_same_response():
    G = LinearTransfer([0.7068, 5700.0, 3.0], [2.0, 62.26, 31.61])
    system, s = StateSpace.from_transfer_function(G), 3 + 40j
    value = system.C @ np.linalg.solve(s * np.eye(system.order) - system.A, system.B) + system.D
    assert value[0, 0] == pytest.approx(complex(G(s)), rel=1e-12)


def test_a_gain_has_no_states():
    gain = StateSpace.from_transfer_function(LinearTransfer([3.0], [2.0]))
    assert gain.order == 0
    assert pytest.approx(np.array([[1.5]])) == gain.D


def test_shapes_that_do_not_fit_are_rejected():
    with pytest.raises(ParameterError, match=r"StateSpace.B: got shape \(1, 2\); must be \(1, 1\)"):
        StateSpace([[-1.0]], [[1.0, 2.0]], [[1.0]], [[0.0]])
    with pytest.raises(ParameterError, match="expected a proper transfer function"):
        StateSpace.from_transfer_function(LinearTransfer([1.0, 0.0, 0.0], [1.0, 1.0]))


def test_an_empty_matrix_is_accepted_only_without_states():
    gain = StateSpace([], [], [], [[2.0]])
    assert (gain.A.shape, gain.B.shape, gain.C.shape) == ((0, 0), (0, 1), (1, 0))
    with pytest.raises(ParameterError, match=r"StateSpace.B: got shape \(1, 0\); must be \(1, 1\)"):
        StateSpace([[-1.0]], [], [[1.0]], [[0.0]])
    with pytest.raises(ParameterError, match=r"StateSpace.B: got shape \(1, 1\); must be \(0, 1\)"):
        StateSpace([], [[1.0]], [], [[0.0]])


def test_a_transfer_function_with_a_direct_part_has_the_same_response():
    G = LinearTransfer([3.0, 2.0, 5.0], [2.0, 1.0, 7.0])
    system, s = StateSpace.from_transfer_function(G), 0.3 + 2j
    value = system.C @ np.linalg.solve(s * np.eye(2) - system.A, system.B) + system.D
    assert value[0, 0] == pytest.approx(complex(G(s)), rel=1e-12)
    assert float(system.D[0, 0]) == 1.5
