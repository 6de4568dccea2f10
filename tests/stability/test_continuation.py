"""Roots along a parameter, and crossings continued in a second one."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.stability import (
    RootCrossing,
    continue_crossing,
    first_crossing,
    follow_roots,
    single_interface,
    stable_ranges,
)

from .systems import K, one_mass

STANDARD = dict(m=2.2, c=15.0, k=K, k_s=K)
START = RootCrossing(
    float(single_interface.critical_delay(**STANDARD)),
    float(single_interface.instability_omega(**STANDARD)),
    0.0,
    True,
)


def test_followed_roots_are_continuous_and_cross_at_the_critical_delay():
    tau = np.linspace(2e-3, 12e-3, 21)
    paths = follow_roots(one_mass, tau, lines=2)
    dominant = paths.roots[:, 0]
    assert np.abs(np.diff(dominant)).max() < 2.0  # 1/s in steps of half a millisecond
    assert np.interp(0.0, dominant.real, tau) == pytest.approx(6.77e-3, abs=2e-5)  # linear between points
    assert paths.growth == pytest.approx(dominant.real)


def test_root_branches_are_followed_when_another_becomes_dominant():
    # with growing delay a second pair comes from the left and overtakes the first (tongues of a soft spring)
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.3)
    paths = follow_roots(lambda tau: one_mass(tau, **case), np.linspace(2.0, 12.0, 101), lines=3)
    bends = np.abs(np.diff(paths.roots[:, :2], n=2, axis=0))
    assert np.nanmax(bends) < 0.03  # 1/s: each line is smooth; the two pairs are 0.3 apart
    leader = np.nanargmax(paths.roots.real, axis=1)
    assert len(set(leader)) > 1  # and the lead changes


def test_continuation_in_stiffness_passes_the_turning_point_of_r06():
    branch = continue_crossing(
        lambda tau, k_s: one_mass(tau, k_s=k_s), START, K, (300.0, 5000.0), p_range=(1e-4, 0.08)
    )
    assert branch.q.min() == pytest.approx(477.0, rel=3e-3)  # N/m: no softer spring is ever unstable
    upper = branch.q[np.argmin(branch.q) :], branch.p[np.argmin(branch.q) :]
    exact = single_interface.critical_delay(m=2.2, c=15.0, k=K, k_s=upper[0][1:])
    assert upper[1][1:] == pytest.approx(np.asarray(exact), rel=1e-9)
    s = 1j * branch.omega  # every point satisfies the characteristic equation, both sides of the turn
    left = 2.2 * s**2 + 15.0 * s + K + branch.q * np.exp(-s * branch.p)
    assert np.abs(left).max() / K < 1e-9


def test_continuation_in_damping_approaches_the_asymptote_of_r07():
    branch = continue_crossing(
        lambda tau, c: one_mass(tau, c=c), START, 15.0, (1.0, 120.0), p_range=(1e-4, 0.3), max_points=200
    )
    assert 96.0 < branch.q.max() < 99.5
    assert branch.q.min() == pytest.approx(1.0, abs=0.05)  # it came to the border given
    exact = single_interface.critical_delay(m=2.2, c=branch.q, k=K, k_s=K)
    assert branch.p == pytest.approx(np.asarray(exact), rel=1e-8)


def test_a_crossing_at_rest_cannot_be_continued():
    with pytest.raises(AnalysisError, match="must be above zero"):
        continue_crossing(lambda p, q: one_mass(p), RootCrossing(1e-3, 0.0, 0.0, True), 1.0, (0.0, 1.0))


def test_stable_ranges_are_those_of_the_closed_form():
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.3)
    found = stable_ranges(lambda tau: one_mass(tau, **case), 0.0, 12.0, points=40)
    expected = single_interface.stable_intervals(**case, up_to=12.0)
    assert len(expected) > 1
    assert [(r.low, r.high) for r in found] == [pytest.approx(e, rel=1e-9) for e in expected]
    assert found[0].lower is None
    assert found[0].upper.destabilising
    assert not found[1].lower.destabilising


def test_no_range_is_given_where_nothing_is_stable():
    assert stable_ranges(lambda tau: one_mass(tau, c=-1.0), 0.0, 0.02, points=8) == []


def test_hopf_frequency_is_that_of_the_closed_form():
    found = first_crossing(one_mass, 0.0, 0.02)
    exact = single_interface.instability_omega(m=2.2, c=15.0, k=K, k_s=K)
    assert found.omega == pytest.approx(float(exact), rel=1e-10)
