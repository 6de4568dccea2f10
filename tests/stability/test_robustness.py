"""Three robustness compensators, against the tables of the thesis' chapter 5 as recomputed."""

import numpy as np
import pytest

from dovetail.stability import robustness
from dovetail.transfer.linear import LinearTransfer

ZETA, CROSSOVER, NATURAL = 0.1066, 1.39805, 31.980  # 1, 1, rad/s
OMEGA = np.geomspace(0.05, 50.0, 3000)
PLAIN = LinearTransfer([1.0], [1.0, 2 * ZETA, 1.0])
LOOPS = {
    "none": PLAIN,
    "alpha": PLAIN * robustness.phase_advance(1.5, CROSSOVER),
    "zeta": LinearTransfer([1.0], [1.0, 4 * ZETA, 1.0]),
    "gamma": robustness.blended(PLAIN, 0.5),
}
MARGINS = {  # delay, small gain for a delay, small gain for a lag, peak; dimensionless
    "none": (0.2165, 0.2140, 0.2236, 3.326),
    "alpha": (0.3821, 0.3806, 0.470, 1.680),
    "zeta": (0.4543, 0.4331, 0.533, 1.677),
    "gamma": (0.4559, 0.4331, 0.534, 1.663),
}
HERTZ = np.array([3.0, 5.0, 6.5, 7.1, 8.0, 9.0])
RESPONSES = {  # |D| at HERTZ, and its peak
    (0.0, "none"): (0.603, 0.947, 2.180, 3.308, 1.731, 0.842, 3.326),
    (0.0, "gamma"): (0.603, 0.947, 2.180, 3.308, 1.731, 0.842, 3.326),
    (0.0, "zeta"): (0.598, 0.896, 1.520, 1.674, 1.221, 0.738, 1.677),
    (0.0, "alpha"): (0.632, 0.916, 1.331, 1.534, 1.678, 1.409, 1.680),
    (0.1, "none"): (0.605, 0.965, 2.571, 6.080, 1.943, 0.862, 6.249),
    (0.1, "gamma"): (0.604, 0.957, 2.379, 4.289, 1.847, 0.854, 4.341),
    (0.1, "zeta"): (0.602, 0.927, 1.813, 2.184, 1.419, 0.781, 2.184),
    (0.1, "alpha"): (0.632, 0.927, 1.439, 1.777, 2.232, 1.849, 2.244),
    (0.19, "none"): (0.607, 0.982, 2.930, 24.80, 1.937, 0.845, 28.05),
    (0.19, "gamma"): (0.606, 0.968, 2.593, 5.868, 1.897, 0.852, 5.958),
    (0.19, "zeta"): (0.605, 0.958, 2.192, 2.999, 1.569, 0.796, 3.000),
    (0.19, "alpha"): (0.632, 0.938, 1.542, 2.052, 3.198, 2.448, 3.312),
}


@pytest.mark.parametrize(("name", "expected"), MARGINS.items())
def test_r27_tolerated_delays_and_peak(name, expected):
    found = robustness.assess(LOOPS[name], OMEGA)
    assert found[:4] == pytest.approx(expected, rel=0.01)  # asked for
    assert found[:4] == pytest.approx(expected, rel=2e-3)  # reached: three to four digits are printed


def test_r27_all_three_methods_tolerate_the_delay_and_the_plain_loop_does_not():
    assert robustness.assess(PLAIN, OMEGA).delay < 0.35
    for name in ("alpha", "zeta", "gamma"):
        assert robustness.assess(LOOPS[name], OMEGA).small_gain_delay > 0.35


@pytest.mark.parametrize(("case", "expected"), RESPONSES.items())
def test_r28_response_at_six_frequencies_and_peak(case, expected):
    tau, name = case
    late = robustness.delayed(tau)
    if name == "gamma":
        response = lambda s: robustness.blended_response(PLAIN, 0.5, s, late)  # noqa: E731
    else:
        response = lambda s: robustness.response(LOOPS[name], s, late)  # noqa: E731
    values = np.abs(response(2j * np.pi * HERTZ / NATURAL))
    assert values == pytest.approx(expected[:6], rel=0.01)
    peak, _ = robustness.resonance(response, OMEGA)
    assert peak == pytest.approx(expected[6], rel=0.01)


def test_phase_advance_leads_by_the_published_angles_with_its_own_gain():
    for alpha, degrees in ((1.5, 22.6), (2.0, 36.9), (2.414, 45.0)):
        at_crossover = robustness.phase_advance(alpha, 30.0)(30j)
        assert np.degrees(np.angle(at_crossover)) == pytest.approx(degrees, abs=0.05)
        assert abs(at_crossover) == pytest.approx(alpha, rel=1e-12)


def test_the_loop_gain_is_the_measured_fraction_of_the_force():
    s = 1j * OMEGA
    assert np.all(robustness.blended(PLAIN, 0.0)(s) == 0)
    assert robustness.blended(PLAIN, 1.0)(s) == pytest.approx(PLAIN(s))
