"""Dockings written down: the log of impacts and the sentence at the end, from traces made up by hand."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.studies.docking.docking_record import DockingRecord


def made_up(depth):
    depth = np.asarray(depth, float)
    n = len(depth)
    zero = np.zeros(n)
    return DockingRecord(
        {
            "t": np.arange(n) * 1e-3,
            "penetration": depth,
            "zone": np.zeros(n, int),
            "impact_speed": np.full(n, 0.1),
            "body_rate": np.full(n, -0.08),
            "normal_force": 1e6 * np.maximum(depth, 0),
            "kinetic": np.linspace(2.0, 1.5, n),
            "stored": zero,
            "impact_heat": np.linspace(0.0, 0.4, n),
            "friction_dissipation": np.linspace(0.0, 0.1, n),
        },
        2,
    )


def test_every_impact_is_logged_with_its_crossings_between_samples():
    log = made_up([-2, -1, 1, 3, 1, -1, -2, -1, 2, -2]).impacts
    assert len(log) == 2
    assert log[0].start == pytest.approx(1.5e-3)
    assert log[0].duration == pytest.approx(3e-3)
    assert log[0].peak_depth == 3
    assert log[0].peak_force == 3e6
    assert log[0].restitution == pytest.approx(0.8)
    assert log[1].start == pytest.approx(7e-3 + 1e-3 / 3)


def test_an_impact_that_has_not_ended_is_not_logged():
    assert made_up([-1, 1, 2]).impacts == []


def test_the_balance_is_kinetic_and_stored_energy_and_all_heat():
    done = made_up([-1, 1, -1])
    np.testing.assert_allclose(done.balance, 2.0)
    assert done.energy_ratio == pytest.approx(1.0)


def test_the_record_has_the_outcome():
    text = str(made_up([-1, 1, -1]))
    assert text.startswith("Separated without docking")
    assert "0.002 s, 1 impacts" in text.splitlines()[0]
    assert "energy 2.00000 J at the start" in text


def test_a_docking_without_impact_has_no_first_impact():
    with pytest.raises(AnalysisError, match="no impact"):
        _ = made_up([-1, -1]).first
