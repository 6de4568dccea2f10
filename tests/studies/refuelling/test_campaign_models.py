"""Models of the refuelling study for campaigns."""

import numpy as np

from dovetail.studies.refuelling import campaign_models
from dovetail.studies.refuelling.campaign_models import scatter, strike_matrix, strike_outcomes
from dovetail.studies.refuelling.funnel_strike import Ending


def test_a_point_is_equal_alone_and_in_a_batch(monkeypatch):
    asked = []

    def batch(angles, speed, drawn, funnel, duration):
        asked.append((float(speed), len(angles), duration))
        size = len(angles)
        whole = np.asarray(drawn)[:, None, :] * np.ones((1, 4, 1))
        return {
            "drogue_position": whole[..., :3],
            "drogue_attitude_change": whole[..., :2],
            "force": whole * np.asarray(angles)[:, None, None],
            "contact_zone": np.ones((size, 4)),
        }

    monkeypatch.setattr(campaign_models, "strike_batch", batch)
    points = [
        {"speed": v, "angle": a, "run": r} for v, a, r in ((0.5, 0.0, 0), (1.0, 10.0, 2), (1.0, 5.0, 1))
    ]
    together = strike_matrix(points)
    assert [row[:2] for row in asked] == [(0.5, 1), (1.0, 2)]
    assert asked[0][2] > asked[1][2]  # a slower probe is watched for longer
    np.testing.assert_allclose(together["contact_time"], 4e-3)
    hung = campaign_models.HungDrogue()
    rest, _ = hung.centre_and_tip(hung.init())
    swings = [np.linalg.norm(scatter(point)[:3] - rest) for point in points]
    np.testing.assert_allclose(together["swing"], swings, rtol=1e-12)
    for i, point in enumerate(points):
        alone = strike_matrix([point])
        for name, values in alone.items():
            assert values[0] == together[name][i]


def test_no_two_runs_have_the_same_scatter():
    drawn = [
        scatter({"speed": v, "angle": a, "run": r}) for v in (0.5, 1.0) for a in (0, 35) for r in range(12)
    ]
    assert len({tuple(row) for row in drawn}) == 48


def test_outcomes_use_radians_and_are_distinguished(monkeypatch):
    asked = []

    class Flight:
        def strikes(self, where):
            asked.append(where)
            ending = np.array([Ending.LATCHED, Ending.MISS], float)
            return {
                "ending": ending,
                "drogue_attitude_change": ending,
                "peak_moment": ending,
                "losses": ending,
            }

    monkeypatch.setattr(campaign_models, "FLIGHT", Flight())
    found = strike_outcomes(
        [{"offset": 0.1, "speed": 1.5, "incidence": 90}, {"offset": 0.2, "speed": 1.0, "incidence": 0}]
    )
    np.testing.assert_allclose(asked[0], [[0.1, 1.5, np.pi / 2], [0.2, 1.0, 0.0]])
    assert found["coupled"].tolist() == [1.0, 0.0]


def test_the_outcome_map_has_five_thousand_strikes_by_speed_first():
    from pathlib import Path

    from dovetail import campaign

    file = Path(campaign_models.__file__).parent / "campaigns" / "outcome-map.toml"
    plan = campaign.load(file)
    assert [parameter.name for parameter in plan.parameters] == ["speed", "offset", "incidence"]
    assert np.prod([len(parameter.values) for parameter in plan.parameters]) == 5000
