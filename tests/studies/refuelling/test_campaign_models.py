"""Models of the refuelling study for campaigns."""

import numpy as np

from dovetail.studies.refuelling import campaign_models
from dovetail.studies.refuelling.validation import Strikes


def test_a_point_is_the_run_of_its_angle_and_speed(monkeypatch):
    asked = []

    def strikes(speed, angles, funnel, scatter, runs, seed):
        asked.append((speed, len(angles), runs))
        time = np.array([0.1, 0.2])
        return [
            Strikes(
                time,
                np.full((runs, 2, 3), angle) * np.arange(runs)[:, None, None],
                np.zeros((runs, 2, 2)),
                np.full((runs, 2, 6), speed),
                np.zeros((runs, 2, 6)),
                np.ones((runs, 2)),
            )
            for angle in angles
        ]

    monkeypatch.setattr(campaign_models, "strikes", strikes)
    points = [
        {"speed": v, "angle": a, "run": r} for v, a, r in ((0.5, 0.0, 0), (1.0, 10.0, 2), (1.0, 5.0, 1))
    ]
    found = campaign_models.strike_matrix(points)
    assert asked == [(0.5, 1, 1), (1.0, 2, 3)]
    np.testing.assert_allclose(found["swing"], np.sqrt(3) * np.radians([0, 20, 5]))
    np.testing.assert_allclose(found["force"], np.sqrt(3) * np.array([0.5, 1.0, 1.0]))
    np.testing.assert_allclose(found["contact_time"], 0.2)
