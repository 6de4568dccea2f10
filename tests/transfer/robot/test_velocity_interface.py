"""A controller that takes speeds: it drifts in motion and is put right at rest."""

import numpy as np
import pytest

from dovetail.transfer.robot import VelocityInterface


def run(part, references):
    part = part.with_sample_time(12e-3, (2,))
    x, out = part.init(), []
    for u in references:
        x, y = part.step(0.0, 12e-3, x, np.asarray(u))
        out.append(np.asarray(y))
    return np.array(out)


WAY = [np.array([s, -2 * s]) for s in np.linspace(0.1, 1.0, 10)]


def test_without_an_error_it_follows():
    assert np.allclose(run(VelocityInterface(), WAY), WAY, rtol=1e-12)


def test_drift_grows_during_motion_and_is_corrected_at_rest():
    out = run(VelocityInterface(gain_error=0.01), WAY + [WAY[-1]] * 2)
    assert out[9] == pytest.approx(1.01 * WAY[-1])
    assert np.array_equal(out[10], WAY[-1])
    assert np.array_equal(out[11], WAY[-1])


def test_without_compensation_the_drift_remains():
    out = run(VelocityInterface(gain_error=0.01, gain=0.0), WAY + [WAY[-1]] * 5)
    assert out[-1] == pytest.approx(1.01 * WAY[-1])


def test_a_smaller_gain_corrects_more_slowly():
    out = run(VelocityInterface(gain_error=0.01, gain=0.5), WAY + [WAY[-1]] * 4)
    errors = np.abs(out[9:, 0] - 1.0)
    assert errors[1:] == pytest.approx(0.5 * errors[:-1], rel=1e-6)
