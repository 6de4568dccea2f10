"""Points that differ in traced numbers are one program; what cannot be traced is built point by point."""

import numpy as np
import pytest
import tomli_w

from dovetail.campaign import parse
from dovetail.campaign.batch import Group
from dovetail.campaign.subjects import subject_of
from dovetail.core.errors import TestFileError
from dovetail.testing import test_checks


def table(**more):
    values = {
        "test": "substructuring/cs1",
        "set": {"duration": 0.1},
        "measures": ["peak displacement"],
        "parameter": [{"path": "numerical.c", "name": "damping", "values": [3.0, 15.0]}],
    }
    return values | more


def test_points_built_one_by_one_are_those_of_the_compiled_program():
    subject = subject_of(parse(table()))
    group = subject._group(())
    assert isinstance(group, Group)
    assert group.traced
    own = {"damping": np.array([3.0, -1.0, 15.0])}
    together, bad = group.evaluate(own, 3, 3)
    group.traced = False
    separate, _ = group.evaluate(own, 3, 3)
    assert list(bad) == [1]
    assert "numerical.c: got -1" in bad[1]
    np.testing.assert_allclose(
        together["peak_displacement"].array[[0, 2]], separate["peak_displacement"].array[[0, 2]], rtol=1e-12
    )


def test_a_group_of_a_faulty_test_is_rejected():
    subject = subject_of(parse(table()))
    with pytest.raises(TestFileError, match="shorter than one tick"):
        Group(subject, subject.test.with_values(duration=1e-9))


def test_the_test_of_a_campaign_is_checked_once(monkeypatch):
    seen = []
    real = test_checks.step_faults
    monkeypatch.setattr(test_checks, "step_faults", lambda test: seen.append(test) or real(test))
    campaign = parse(table())
    subject_of(campaign).evaluate(campaign.points())
    assert len(seen) == 1


def test_a_point_whose_energy_does_not_close_has_failed_with_time_and_tolerance(tmp_path):
    """A rope of three links that swings, at 4 Hz and at 50 Hz."""
    rope = {
        "kind": "towed-rope",
        "airflow": "off",
        "chain": {"kind": "link-chain", "n": 3, "length": 10, "mass": 3},
    }
    swing = {"title": "swing", "rate": 4.0, "duration": 1.0, "axes": ["x", "y", "z"], "numerical": rope}
    (tmp_path / "swing.toml").write_text(tomli_w.dumps(swing))
    rates = [{"path": "rate", "name": "rate", "values": [4.0, 50.0]}]
    campaign = parse(
        {"test": str(tmp_path / "swing.toml"), "measures": ["peak displacement"], "parameter": rates}
    )
    found = subject_of(campaign).evaluate(campaign.points())
    assert list(found.reasons) == [0]
    assert "energy does not close" in found.reasons[0]
    assert "from 0.25 s on" in found.reasons[0]
    assert np.isfinite(found.values["peak_displacement"].array).tolist() == [False, True]
