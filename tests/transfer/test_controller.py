import numpy as np

from dovetail.core.kinds import find
from dovetail.transfer import PID, Controller, Proportional


def response(controller, s):
    numerator, denominator = controller.polynomials()
    return np.polyval(np.asarray(numerator), s) / np.polyval(np.asarray(denominator), s)


def test_proportional_is_a_factor():
    assert response(Proportional(3.0), 5j) == 3.0


def test_pid_is_the_sum_of_its_parts():
    s = 5j
    np.testing.assert_allclose(response(PID(3.0, 7.0, 0.5), s), 3.0 + 7.0 / s + 0.5 * s)


def test_gains_in_decibels_are_factors():
    pid = PID.from_decibels(32.0, 1.2, 0.8)  # [Wallace 2006, table 6.2]
    np.testing.assert_allclose([pid.kp, pid.ki, pid.kd], [39.81, 1.148, 1.0965], rtol=1e-3)


def test_gains_may_be_given_per_axis():
    numerator, _ = PID([1.0, 2.0], 7.0).polynomials()
    np.testing.assert_array_equal(numerator, [[0.0, 0.0], [1.0, 2.0], [7.0, 7.0]])


def test_test_files_can_name_them():
    assert all(issubclass(find(name), Controller) for name in ("p-controller", "pid-controller"))
